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
                PostgresStatement(
                    "UPDATE ledger.attempt_places SET next_offset = $2 WHERE partition = $1",
                    [partition, last.offset + 1]),
            ])
            return Int(results[0].affectedRows)
        }
        return Outcome(
            recorded: recorded, ignored: attempts.count - recorded, unreadable: records.count - attempts.count)
    }

    /// The start offsets: the stored offset if the log has it, else the beginning of the log.
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
