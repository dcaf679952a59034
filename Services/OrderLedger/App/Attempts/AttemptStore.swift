import Contracts
import KafkaBridge
import OrchardPostgres

/// Stores what token-ingest reports of attempts that it rejected.
///
/// An attacker who controls token-ingest may write anything to its topic. So only texts of letters are stored, only for
/// existing orders, and only a limited number for each order. Nothing of it enters the books.
struct AttemptStore: Sendable {
    let database: PostgresPool

    /// The most attempts of an order that are stored. One batch may exceed it.
    static let maximum = 1_000

    var places: ReadingPlaces { ReadingPlaces(table: "attempt_places", topic: .attempts, database: database) }

    /// The result of a batch.
    struct Outcome: Hashable, Sendable {
        var recorded = 0
        /// Already known, not of an order of the merchant, or too many.
        var ignored = 0
        var unreadable = 0
    }

    /// Processes records of one partition. Processing them again changes nothing.
    func process(_ records: [KafkaRecord], of partition: Int32) async throws -> Outcome {
        guard let last = records.last else { return Outcome() }
        let attempts = records.compactMap { PaymentRejected($0) }
        let recorded = try await database.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresStatement(
                    """
                    INSERT INTO ledger.attempts (partition, order_id, attempt_id, stage, reason)
                    SELECT $1, n.order_id, n.attempt_id, n.stage, n.reason
                    FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
                        AS n(order_id, merchant_id, attempt_id, stage, reason)
                    JOIN ledger.offered_orders o
                        ON o.partition = $1 AND o.order_id = n.order_id AND o.merchant_id = n.merchant_id
                    WHERE (SELECT count(*) FROM ledger.attempts a
                        WHERE a.partition = $1 AND a.order_id = n.order_id) < \(Self.maximum)
                    -- The first record of an attempt stays.
                    ON CONFLICT (partition, order_id, attempt_id) DO NOTHING
                    """,
                    [
                        partition, attempts.map(\.order), attempts.map(\.merchant),
                        attempts.map(\.attempt), attempts.map(\.stage), attempts.map(\.reason),
                    ]),
                places.moving(partition, behind: last.offset),
            ])
            return Int(results[0].affectedRows)
        }
        return Outcome(
            recorded: recorded, ignored: attempts.count - recorded, unreadable: records.count - attempts.count)
    }
}
