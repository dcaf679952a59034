import Contracts
import Ledger
import OrchardCrypto
import OrchardJSON
import Outbox

/// What goes to the journal's dead letters for a fault: why, and where the record is. The record itself stays in the
/// journal and in the ledger's row; a copy could only spread what should not have been in it.
struct DeadLetter {
    /// The CloudEvents type.
    static let type = "orchard.journal.deadLetter.v1"

    let fault: JournalFault
    /// Its number among the faults of the record.
    let index: Int
    /// The record at which the fault was found.
    let record: JournalRecord

    /// The record to be published, in the same partition.
    var row: OutboxRow {
        let id = id.description
        return OutboxRow(
            partition: record.position.partition, topic: Topic.journal.deadLetters.name, eventID: id,
            key: record.key ?? [],
            headers: [
                ("ce_specversion", "1.0"), ("ce_id", id), ("ce_type", Self.type), ("ce_source", OfferStore.source),
                ("content-type", "application/json"),
            ], value: json)
    }

    /// The same for the same fault, however often its batch is folded.
    private var id: EventID {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(Self.type)
        bytes.append(Int64(record.position.partition))
        bytes.append(record.position.offset)
        bytes.append(Int64(index))
        return EventID(hash: SHA256.hash(bytes.bytes))
    }

    /// `{"at":41,"code":"illegalTransition","offset":40,"partition":3,"reason":"…","topic":"orchard.journal.v1"}`
    private var json: [UInt8] {
        JSONWriter.object { object in
            object.member("at", record.position.offset)
            object.member("code", fault.code)
            object.member("offset", fault.source.offset)
            object.member("partition", Int64(fault.source.partition))
            object.member("reason", fault.reason)
            object.member("topic", Topic.journal.name)
        }
    }
}
