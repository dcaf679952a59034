import Contracts
import KafkaBridge
import OrchardPostgres

/// Keeps what token-ingest says of attempts that it turned away.
///
/// Whoever takes token-ingest over may write anything to its topic. So only words of letters are kept, only of orders that
/// are here, and only so many an order; nothing of it reaches the books.
struct AttemptStore: Sendable {
    let database: PostgresPool

    /// The most attempts of an order that are kept, but for those of one batch.
    static let maximum = 1_000

    /// What became of a batch.
    struct Outcome: Hashable, Sendable {
        var recorded = 0
        /// Known already, of no order of the merchant's, or too many.
        var ignored = 0
        var unreadable = 0
    }

    /// Takes records of one partition in; again is as good as once.
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
                    -- The first telling of an attempt stands.
                    ON CONFLICT (partition, order_id, attempt_id) DO NOTHING
                    """,
                    [
                        partition, attempts.map(\.order), attempts.map(\.merchant),
                        attempts.map(\.attempt), attempts.map(\.stage), attempts.map(\.reason),
                    ]),
                PostgresStatement(
                    "UPDATE ledger.attempt_places SET next_offset = $2 WHERE partition = $1",
                    [partition, last.offset + 1]),
            ])
            return Int(results[0].affectedRows)
        }
        return Outcome(
            recorded: recorded, ignored: attempts.count - recorded, unreadable: records.count - attempts.count)
    }

    /// Where reading begins: at the place that is kept, if the log has it, else where the log begins.
    ///
    /// - Parameter logs: the ends of each partition's log, in the cluster `clusterID`.
    func starts(_ logs: [Int32: Watermarks], clusterID: String) async throws -> [Int32: Int64] {
        try await database.withTransaction { connection in
            let rows = try await connection.query(
                "SELECT partition, next_offset FROM ledger.attempt_places WHERE cluster_id = $1", [clusterID])
            var known: [Int32: Int64] = [:]
            for row in rows { known[try row.int32("partition")] = try row.int64("next_offset") }
            let starts = logs.map { partition, log in
                (partition, known[partition].flatMap { (log.low...log.high).contains($0) ? $0 : nil } ?? log.low)
            }
            try await connection.execute(
                """
                INSERT INTO ledger.attempt_places (partition, cluster_id, next_offset)
                SELECT partition, $2, next_offset FROM unnest($1::integer[], $3::bigint[]) AS n(partition, next_offset)
                ON CONFLICT (partition) DO UPDATE
                    SET cluster_id = excluded.cluster_id, next_offset = excluded.next_offset
                """, [starts.map(\.0), clusterID, starts.map(\.1)])
            return Dictionary(starts) { first, _ in first }
        }
    }
}
