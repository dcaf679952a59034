import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import Outbox

/// Reads a record of the journal again and compares it with the books. Writes nothing.
struct JournalReplay: Sendable {
    let connection: PostgresConnection

    struct Answer: Hashable, Sendable {
        /// Whether the record's event is in the books.
        let isInBooks: Bool
        let text: String
    }

    func replay(_ original: DeadLetterTopic.Original) async throws -> Answer {
        guard case .there(let record) = original else { return Answer(isInBooks: false, text: original.text) }
        let event: JournalEvent
        do throws(UnreadableRecord) {
            event = try JournalEvent(JournalRecord(record))
        } catch {
            return Answer(isInBooks: false, text: "this version cannot read it: \(error)")
        }
        let rows = try await connection.query(
            """
            SELECT partition, "offset", disposition FROM ledger.facts
            WHERE partition = $1 AND order_id = $2 AND event_id = $3 AND \(JournalTables.isTaken)
            """, [event.position.partition, event.fact.order, event.id])
        if let row = rows.first {
            let place = JournalPosition(partition: try row.int32("partition"), offset: try row.int64("offset"))
            return Answer(isInBooks: true, text: "in the books: \(try row.string("disposition")) at \(place)")
        }
        return Answer(isInBooks: false, text: "this version reads it as \(event.event.type); it is not in the books")
    }
}
