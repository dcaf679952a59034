import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Reads and writes the tables of settlement files.
struct SettlementStore: Sendable {
    /// Where a day's file stands.
    struct Stored: Sendable {
        let partition: Int32
        /// In whose name the day is told. `merchants.json` may name another one by now.
        let merchant: MerchantID
        let contentDigest: [UInt8]
        /// Rows and disputes that are recorded.
        let recorded: Int64
        let isComplete: Bool
    }

    /// Files of a day that are kept aside at most.
    static let maximumRefusals: Int64 = 5

    /// The file of a day, if one was taken.
    func file(of day: SettlementDay, on connection: PostgresConnection) async throws -> Stored? {
        try await connection.query(
            """
            SELECT partition, merchant_id, content_digest, recorded, recorded_at IS NOT NULL AS is_complete FROM gateway.settlement_files
            WHERE acquirer = $1 AND account = $2 AND settlement_date = $3
            """, Self.key(day)
        ).first.map { row in
            Stored(
                partition: try row.int32("partition"), merchant: try row.identifier("merchant_id"),
                contentDigest: try row.bytes("content_digest"),
                recorded: try row.count("recorded"), isComplete: try row.bool("is_complete"))
        }
    }

    /// The bytes of a day's file, as they were fetched.
    func content(of day: SettlementDay, on connection: PostgresConnection) async throws -> [UInt8]? {
        try await connection.query(
            """
            SELECT content FROM gateway.settlement_files
            WHERE acquirer = $1 AND account = $2 AND settlement_date = $3
            """, Self.key(day)
        ).first?.bytes("content")
    }

    /// Keeps a file that was read and checked; nothing of it is recorded yet.
    func add(
        _ file: SettlementFile, _ content: [UInt8], digest: [UInt8], of day: SettlementDay, in partition: Int32,
        on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO gateway.settlement_files (acquirer, account, settlement_date, partition, merchant_id, content,
                digest, content_digest, row_count, dispute_count, currency, taken, returned, fees, net)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            """,
            Self.key(day) + [
                partition, day.merchant, content, digest, file.contentDigest, Int64(file.rows.count),
                Int64(file.disputes.count), file.currency.code, file.totals.taken, file.totals.returned,
                file.totals.fees, file.totals.net,
            ] as [any PostgresEncodable])
    }

    /// Keeps a file aside that is refused: each once, and few of a day.
    func keepAside(
        _ content: [UInt8], digest: [UInt8], reason: String, of day: SettlementDay, in partition: Int32,
        on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO gateway.settlement_refusals (acquirer, account, settlement_date, partition, digest, content, reason)
            SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (
                SELECT count(*) < $8 AND count(*) FILTER (WHERE digest = $5) = 0 FROM gateway.settlement_refusals
                WHERE acquirer = $1 AND account = $2 AND settlement_date = $3)
            """, Self.key(day) + [partition, digest, content, reason, Self.maximumRefusals] as [any PostgresEncodable])
    }

    /// Locks a day's file, for the transaction that records more of it.
    static func locking(_ day: SettlementDay) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT recorded FROM gateway.settlement_files
            WHERE acquirer = $1 AND account = $2 AND settlement_date = $3 AND recorded_at IS NULL FOR UPDATE
            """, key(day))
    }

    /// Says that so many rows and disputes are recorded.
    static func advancing(_ day: SettlementDay, from: Int, to next: Int) -> Write {
        Write(
            """
            UPDATE gateway.settlement_files SET recorded = $5
            WHERE acquirer = $1 AND account = $2 AND settlement_date = $3 AND recorded = $4
            """, key(day) + [Int64(from), Int64(next)])
    }

    /// Says that all is recorded.
    static func completing(_ day: SettlementDay) -> Write {
        Write(
            """
            UPDATE gateway.settlement_files SET recorded_at = clock_timestamp()
            WHERE acquirer = $1 AND account = $2 AND settlement_date = $3 AND recorded = row_count + dispute_count
            """, key(day))
    }

    static func key(_ day: SettlementDay) -> [any PostgresEncodable] {
        [day.acquirer, day.account, day.date.description]
    }
}
