import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads the whole ledger inside one snapshot, trusting nothing that it reads.
struct LedgerReader {
    let connection: PostgresConnection

    /// What a partition's head says of it.
    struct Head: Hashable {
        let partition: Int32
        let rows: Int64
        let duplicates: Int64
        let lastOffset: Int64?
        let hash: [UInt8]
    }

    /// How many records are looked at together.
    static let chunk = 1_000

    /// Every partition that any table of the books names.
    func partitions() async throws -> [Int32] {
        let tables = JournalTables.names + OrderTables.names
        let union = tables.map { "SELECT partition FROM ledger.\($0)" }.joined(separator: " UNION ")
        return try await connection.query("\(union) ORDER BY partition").map { try $0.int32("partition") }
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

    /// The next rows of a partition in a range of offsets, at most ``chunk``.
    func rows(_ partition: Int32, in offsets: ClosedRange<Int64>) async throws -> [StoredRow] {
        let bounds: [any PostgresEncodable] = [
            partition, offsets.lowerBound, offsets.upperBound, Int64(Self.chunk),
        ]
        let range = #"WHERE partition = $1 AND "offset" BETWEEN $2 AND $3"#
        let page = #"SELECT "offset" FROM ledger.facts \#(range) ORDER BY "offset" LIMIT $4"#
        let results = try await connection.pipeline([
            PostgresStatement(#"SELECT * FROM ledger.facts \#(range) ORDER BY "offset" LIMIT $4"#, bounds),
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

    /// Some orders of a partition as the projection keeps them.
    ///
    /// - Returns: the orders that are stored, and what each says of its status: written for readers, never read by the
    ///   fold.
    /// - Throws: `StoreError`, or `PostgresError` of code `value`, when a row of one of them cannot be read.
    func orders(
        _ partition: Int32, _ ids: [OrderID]
    ) async throws -> (states: [OrderState], statuses: [OrderID: String]) {
        let store = OrderStore(partition: partition)
        let results = try await connection.pipeline(store.loading(ids))
        let statuses: [(OrderID, String)] = try results[0].rows.map {
            (try $0.identifier("order_id"), try $0.string("status"))
        }
        return (try store.orders(from: results[...]), Dictionary(statuses) { first, _ in first })
    }

    /// The next names of orders that any table of orders holds rows of, behind `name` in the database's order, at most
    /// ``chunk``. As text: somebody may have written what is no name.
    func orderNames(_ partition: Int32, behind name: String?) async throws -> [String] {
        let narrowed = name == nil ? "" : "AND order_id > $3"
        let names = OrderTables.names.map {
            """
            (SELECT DISTINCT order_id FROM ledger.\($0) WHERE partition = $1 \(narrowed) ORDER BY order_id LIMIT $2)
            """
        }
        let parameters: [any PostgresEncodable] = [partition, Int64(Self.chunk)]
        let rows = try await connection.query(
            "SELECT order_id FROM (\(names.joined(separator: " UNION "))) AS names ORDER BY order_id LIMIT $2",
            name.map { parameters + [$0] } ?? parameters)
        return try rows.map { try $0.string("order_id") }
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
    ///
    /// - Throws: `StoreError` when a line cannot be what the ledger wrote; `PostgresError` of code `value` when a sum
    ///   leaves 64 bits.
    func trialBalance() async throws -> TrialBalance {
        let rows = try await connection.query(
            """
            SELECT currency, account, coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS debit,
                coalesce(-sum(amount) FILTER (WHERE amount < 0), 0) AS credit
            FROM ledger.entries GROUP BY currency, account
            """)
        let balance = TrialBalance(
            sums: try rows.map { row in
                (
                    try row.currency("currency"), try row.string("account"), try row.int64("debit"),
                    try row.int64("credit")
                )
            })
        guard let balance else { throw StoreError(.malformed, at: "entries.amount", "the sums leave 64 bits") }
        return balance
    }
}

extension ClosedRange<Int64> {
    /// What is left of a range of offsets when its first rows were read; nil when nothing is.
    func rest(behind rows: [StoredRow]) -> Self? {
        guard let last = rows.last?.position.offset, last < upperBound else { return nil }
        return last + 1...upperBound
    }
}
