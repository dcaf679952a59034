import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads the ledger in short statements and trusts nothing that it reads.
struct LedgerReader {
    let connection: PostgresConnection

    /// What a partition's head states.
    struct Head: Hashable {
        let partition: Int32
        let rows: Int64
        let duplicates: Int64
        let lastOffset: Int64?
        let hash: [UInt8]
    }

    /// How many records are processed together.
    static let chunk = 1_000

    /// Every partition that some tables name, those of the books by default. No table is read: the keys begin with the
    /// partition.
    func partitions(in tables: [String] = JournalTables.names + OrderTables.names) async throws -> [Int32] {
        let statements = tables.map { table in
            PostgresStatement(
                """
                WITH RECURSIVE p AS (
                    SELECT min(partition) AS partition FROM ledger.\(table) UNION ALL
                    SELECT (SELECT min(t.partition) FROM ledger.\(table) t WHERE t.partition > p.partition) FROM p
                    WHERE p.partition IS NOT NULL)
                SELECT partition FROM p WHERE partition IS NOT NULL
                """, [])
        }
        let results = try await connection.pipeline(statements)
        return Set(try results.flatMap { try $0.rows.map { try $0.int32("partition") } }).sorted()
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

    /// The first offsets of one of the journal tables behind `offset`.
    func offsets(of table: String, _ partition: Int32, behind offset: Int64) async throws -> [Int64] {
        try await connection.query(
            """
            SELECT DISTINCT "offset" FROM ledger.\(table) WHERE partition = $1 AND "offset" > $2
            ORDER BY "offset" LIMIT \(AuditCheck.listed + 1)
            """, [partition, offset]
        ).map { try $0.int64("offset") }
    }

    /// Facts in the books, in the order of offsets, each read by the code of its own version. Facts that cannot be read
    /// any more are left out; the row checks find them. Each order has its own subquery, as in ``OrderStore``.
    ///
    /// - Parameter end: only facts below this offset.
    func facts(_ partition: Int32, of orders: [OrderID], below end: Int64 = .max) async throws -> [ReadRecord] {
        guard !orders.isEmpty else { return [] }
        let rows = try await connection.query(
            """
            SELECT \(ReadRecord.columns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(ReadRecord.columns) FROM ledger.facts f WHERE partition = $1 AND order_id = wanted.id
                    AND "offset" < $3 AND \(JournalTables.isTaken) OFFSET 0) AS f ORDER BY f."offset"
            """, [partition, orders, end])
        return rows.compactMap { try? ReadRecord($0, partition: partition) }
    }

    /// Those of the given orders that have facts in the books behind `offset`.
    func touched(_ partition: Int32, _ orders: [OrderID], behind offset: Int64) async throws -> Set<OrderID> {
        // Mostly there is no such fact at all.
        let isGrowing = try await connection.query(
            #"SELECT 1 FROM ledger.facts WHERE partition = $1 AND "offset" > $2 LIMIT 1"#, [partition, offset])
        guard !isGrowing.isEmpty else { return [] }
        let rows = try await connection.query(
            """
            SELECT f.order_id FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT order_id FROM ledger.facts WHERE partition = $1 AND order_id = wanted.id AND "offset" > $3
                    AND \(JournalTables.isTaken) LIMIT 1) AS f
            """, [partition, orders, offset])
        return Set(try rows.map { try $0.identifier("order_id") })
    }

    /// Some orders of a partition as the projection stored them.
    ///
    /// - Returns: the stored orders, and the status column of each. The fold never reads that column; it is for
    ///   readers.
    /// - Throws: `StoreError`, or `PostgresError` of code `value`, when a row of one of them cannot be read.
    func orders(
        _ partition: Int32, _ ids: [OrderID]
    ) async throws -> (states: [OrderState], statuses: [OrderID: String]) {
        try await orders(partition, OrderStore(partition: partition).loading(ids))
    }

    /// The same for all orders of a range of ids, the lower one left out.
    func orders(
        _ partition: Int32, behind first: OrderID, through last: OrderID
    ) async throws -> (states: [OrderState], statuses: [OrderID: String]) {
        try await orders(partition, OrderStore(partition: partition).loading(behind: first, through: last))
    }

    private func orders(
        _ partition: Int32, _ loading: [PostgresStatement]
    ) async throws -> (states: [OrderState], statuses: [OrderID: String]) {
        let store = OrderStore(partition: partition)
        let results = try await connection.pipeline(loading)
        let statuses: [(OrderID, String)] = try results[0].rows.map {
            (try $0.identifier("order_id"), try $0.string("status"))
        }
        return (try store.orders(from: results[...]), Dictionary(statuses) { first, _ in first })
    }

    /// The next orders behind `last` that some tables have rows of, at most ``chunk``.
    ///
    /// - Parameter tables: each with an index on partition and order.
    func orders(_ partition: Int32, in tables: [String], behind last: OrderID?) async throws -> [OrderID] {
        let narrowed = last == nil ? "" : "AND order_id > $3"
        let names = tables.map {
            """
            (SELECT DISTINCT order_id FROM ledger.\($0) WHERE partition = $1
                AND \($0 == "facts" ? "\(JournalTables.isTaken) AND order_id IS NOT NULL" : "true") \(narrowed)
                ORDER BY order_id LIMIT $2)
            """
        }
        let parameters: [any PostgresEncodable] = [partition, Int64(Self.chunk)]
        let rows = try await connection.query(
            "SELECT order_id FROM (\(names.joined(separator: " UNION "))) AS names ORDER BY order_id LIMIT $2",
            last.map { parameters + [$0] } ?? parameters)
        return try rows.map { try $0.identifier("order_id") }
    }
}
