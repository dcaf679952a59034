import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardJSON
import Outbox

/// What is told of a record that cannot be taken: why, and where it came from. Never its content, which may hold card
/// data; its offset leads back to it for as long as the topic keeps it.
struct DeadLetter: Sendable {
    let record: KafkaRecord
    let reason: String

    init(_ record: KafkaRecord, reason: String) {
        self.record = record
        // A header is one line; the reason may quote a member's name from the record.
        self.reason = String(
            decoding: reason.utf8.prefix(300).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self
        )
    }

    /// The record's place is its name, so that it is told once.
    private var id: String {
        let place = "\(record.topicPartition.topic)/\(record.topicPartition.partition)/\(record.offset)"
        return EventID(hash: SHA256.hash("dead letter \(place)")).description
    }

    func row(at time: Timestamp) -> OutboxRow {
        OutboxRow(
            partition: record.topicPartition.partition, topic: Topic.charges.deadLetters.name, eventID: id,
            key: record.key ?? [],
            headers: [
                ("ce_specversion", "1.0"), ("ce_id", id), ("ce_type", "orchard.deadLetter.v1"),
                ("ce_source", "/charge-gateway"), ("ce_time", time.description), ("content-type", "application/json"),
                ("deadletter_reason", reason), ("deadletter_topic", record.topicPartition.topic),
                ("deadletter_partition", "\(record.topicPartition.partition)"),
                ("deadletter_offset", "\(record.offset)"),
            ],
            value: JSONWriter.object { object in
                object.member("bytes", Int64(record.value.count))
                object.member("offset", record.offset)
                object.member("partition", Int64(record.topicPartition.partition))
                object.member("reason", reason)
                object.member("sha256", Hex.encode(SHA256.hash(record.value)))
                object.member("topic", record.topicPartition.topic)
            })
    }
}
