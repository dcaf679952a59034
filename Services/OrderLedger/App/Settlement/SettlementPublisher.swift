import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Puts facts about settled days into the outbox: explanations and pay-outs. `serve` publishes them, and folds them when
/// they come back through the journal.
struct SettlementPublisher {
    let connection: PostgresConnection
    /// The number of partitions of the topics.
    let partitions: Int32

    private func partition(of fact: Fact) -> Int32 { Partitioner.partition(of: fact.order, among: partitions) }

    /// Which of some facts the books have, or the outbox holds.
    func known(_ facts: [Fact]) async throws -> Set<EventID> {
        guard !facts.isEmpty else { return [] }
        let places = facts.map { partition(of: $0) }
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT wanted.event_id FROM unnest($1::integer[], $2::uuid[], $3::uuid[])
                    AS wanted(partition, order_id, event_id)
                WHERE EXISTS (SELECT 1 FROM ledger.facts f WHERE f.partition = wanted.partition
                    AND f.order_id = wanted.order_id AND f.event_id = wanted.event_id AND \(JournalTables.isTaken) OFFSET 0)
                """, [places, facts.map(\.order), facts.map(\.id)]),
            PostgresStatement(
                """
                SELECT wanted.event_id::uuid AS event_id FROM unnest($1::integer[], $2::text[])
                    AS wanted(partition, event_id)
                WHERE EXISTS (SELECT 1 FROM ledger.outbox o WHERE o.partition = wanted.partition
                    AND o.event_id = wanted.event_id)
                """, [places, facts.map(\.id.description)]),
        ])
        return Set(try results.flatMap { try $0.rows.map { try $0.identifier("event_id") as EventID } })
    }

    /// Publishes facts: all or none.
    func publish(_ facts: [Fact], at time: Timestamp) async throws {
        let rows = facts.map { fact in
            OutboxRow(
                CloudEvent(fact, source: OfferStore.source, time: time), topic: .journal, partition: partition(of: fact)
            )
        }
        try await connection.transaction { try await LedgerSchema.outbox.insert(rows, on: $0) }
    }
}
