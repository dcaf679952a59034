import Contracts
import Ledger
import Postgres

/// Reads the whole ledger inside one snapshot, trusting nothing that it reads.
struct LedgerReader {
    let connection: PostgresConnection

    /// What a partition's head says of it.
    struct Head {
        let partition: Int32
        let rows: Int64
        let duplicates: Int64
        let lastOffset: Int64?
        let hash: [UInt8]
    }

    /// How many records are looked at together.
    static let chunk = 1_000

    /// Every partition that any table of the ledger names.
    func partitions() async throws -> [Int32] {
        try await connection.query(
            """
            SELECT partition FROM ledger.chain_heads UNION SELECT DISTINCT partition FROM ledger.facts
            UNION SELECT DISTINCT partition FROM ledger.entries UNION SELECT DISTINCT partition FROM ledger.orders
            ORDER BY partition
            """
        ).map { try $0.int32("partition") }
    }

    func heads() async throws -> [Int32: Head] {
        let rows = try await connection.query("SELECT * FROM ledger.chain_heads")
        let heads = try rows.map { row in
            Head(
                partition: try row.int32("partition"), rows: try row.int64("rows"),
                duplicates: try row.int64("duplicates"), lastOffset: try row.optionalInt64("last_offset"),
                hash: try row.bytes("head"))
        }
        return Dictionary(heads.map { ($0.partition, $0) }) { first, _ in first }
    }

    /// The next rows of a partition from `offset` on, at most ``chunk``, and below `end` if that is given.
    func rows(_ partition: Int32, from offset: Int64, below end: Int64? = nil) async throws -> [StoredRow] {
        let bounds: [any PostgresEncodable] = [partition, offset, end ?? .max, Int64(Self.chunk)]
        let page = """
            SELECT "offset" FROM ledger.facts WHERE partition = $1 AND "offset" >= $2 AND "offset" < $3
            ORDER BY "offset" LIMIT $4
            """
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT * FROM ledger.facts WHERE partition = $1 AND "offset" >= $2 AND "offset" < $3
                ORDER BY "offset" LIMIT $4
                """, bounds),
            PostgresStatement(
                """
                SELECT * FROM ledger.entries WHERE partition = $1 AND "offset" IN (\(page))
                ORDER BY "offset", entry, line
                """, bounds),
            PostgresStatement(
                """
                SELECT * FROM ledger.faults WHERE partition = $1 AND "offset" IN (\(page))
                ORDER BY "offset", fault
                """, bounds),
        ])
        let lines = Dictionary(grouping: results[1].rows) { try? $0.int64("offset") }
        let faults = Dictionary(grouping: results[2].rows) { try? $0.int64("offset") }
        return try results[0].rows.map { row in
            let offset = try row.int64("offset")
            return try StoredRow(row, partition: partition, lines: lines[offset] ?? [], faults: faults[offset] ?? [])
        }
    }

    /// All orders of a partition as the projection keeps them.
    func orders(_ partition: Int32) async throws -> [OrderState] {
        let store = OrderStore(partition: partition)
        return try store.orders(from: try await connection.pipeline(store.loading(nil))[...])
    }

    /// What the orders of a partition say of their status: written for readers, never read by the fold.
    func statuses(_ partition: Int32) async throws -> [OrderID: String] {
        let rows = try await connection.query(
            "SELECT order_id, status FROM ledger.orders WHERE partition = $1", [partition])
        let pairs: [(OrderID, String)] = try rows.map { (try $0.identifier("order_id"), try $0.string("status")) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Entries and faults whose record is not there.
    func orphans() async throws -> [AuditCheck.Finding] {
        let rows = try await connection.query(
            """
            SELECT DISTINCT o.partition, o."offset", o.what FROM (
                SELECT partition, "offset", 'an entry' AS what FROM ledger.entries
                UNION ALL SELECT partition, "offset", 'a fault' FROM ledger.faults) o
            LEFT JOIN ledger.facts f USING (partition, "offset") WHERE f.partition IS NULL ORDER BY 1, 2
            """)
        return try rows.map { row in
            AuditCheck.Finding(
                "\(try row.string("what")) belongs to a row that is not there",
                at: JournalPosition(partition: try row.int32("partition"), offset: try row.int64("offset")))
        }
    }

    /// Debits and credits by currency and account, summed by the database.
    func trialBalance() async throws -> TrialBalance {
        let rows = try await connection.query(
            """
            SELECT currency, account, coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS debit,
                coalesce(-sum(amount) FILTER (WHERE amount < 0), 0) AS credit
            FROM ledger.entries GROUP BY currency, account
            """)
        return TrialBalance(
            sums: try rows.map { row in
                (
                    try row.currency("currency"), try row.string("account"), try row.int64("debit"),
                    try row.int64("credit")
                )
            })
    }
}
