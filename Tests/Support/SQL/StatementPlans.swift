import Foundation
import OrchardPostgres

/// How the server would run statements with any parameters, and whether their cost grows with the tables.
///
/// A table grows for ever unless it is listed as bounded. A statement may reach its rows by a key, by an index of open
/// rows (they come and go), or by walking an index up to a LIMIT. It must never read a whole table, a whole index or a
/// whole partition of one.
public struct StatementPlans {
    /// What the server knows of the tables when a statement is planned. A session keeps its plans for a while, so those of
    /// a new service's first minute are used when its tables have grown.
    public enum Knowledge: CaseIterable, Sendable {
        /// Nothing: they are empty, as when a service is started for the first time.
        case empty
        /// That they were empty when they were analysed; they have grown since. (While they are empty, no index is better
        /// than another. A session plans again after a while: see `PostgresConfiguration.replanInterval`.)
        case outdated
        /// Their sizes only, as after a restore.
        case sizes
        /// All of `ANALYZE`.
        case statistics
    }

    private struct Index {
        let table: String
        /// In the order of the index.
        let columns: [String]
    }

    /// Columns of which any number of rows may have the same values: partitions and accounts grow, and a second may see
    /// hundreds of charges.
    private static let shared: Set = ["partition", "acquirer", "account", "transaction_time"]

    private let connection: PostgresConnection
    private let growing: Set<String>
    private let open: Set<String>
    private let indexes: [String: Index]

    /// - Parameters:
    ///   - schema: its rows are as one ``Knowledge`` says.
    ///   - bounded: its tables that always stay small.
    ///   - open: its partial indexes whose rows come and go.
    ///   - connection: its session plans as those of the services do, by `PostgresConfiguration.plansByKey`.
    public init(
        _ schema: String, bounded: Set<String>, open: Set<String>, on connection: PostgresConnection
    ) async throws {
        self.connection = connection
        self.open = open
        _ = try await connection.query(PostgresConfiguration.planningByKey)
        let tables = try await connection.query(
            "SELECT relname::text AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')",
            [schema]
        ).map { try $0.string("name") }
        growing = Set(tables).subtracting(bounded)
        let rows = try await connection.query(
            """
            SELECT i.relname::text AS name, t.relname::text AS relation,
                (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY AS k(number, place)
                    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number)::text AS columns
            FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
            WHERE t.relnamespace = $1::regnamespace
            """, [schema])
        indexes = Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                (
                    try row.string("name"),
                    Index(
                        table: try row.string("relation"),
                        columns: try row.string("columns").split(separator: ",").map(String.init))
                )
            })
    }

    /// Fills the tables with `rows`, a script, as far as the server may know them.
    public static func fill(_ knowledge: Knowledge, rows: String, on connection: PostgresConnection) async throws {
        if knowledge == .outdated { try await connection.script("ANALYZE") }
        if knowledge != .empty { try await connection.script(rows) }
        if knowledge == .statistics { try await connection.script("ANALYZE") }
    }

    /// The parts of a statement's plan that cost more with each order; empty when there are none.
    ///
    /// - Throws: `PostgresError` when the server cannot prepare it.
    public func faults(of sql: String) async throws -> [String] { try await faults(of: sql, "") }

    /// The same for a statement whose parameters have their types.
    public func faults(of statement: PostgresStatement) async throws -> [String] {
        let types = try await connection.query(
            "SELECT format_type(oid::oid, NULL)::text AS name FROM unnest($1::bigint[]) WITH ORDINALITY AS t(oid, place) "
                + "ORDER BY place",
            [statement.parameterTypes.map { Int64($0.rawValue) }]
        ).map { try $0.string("name") }
        return try await faults(of: statement.sql, types.isEmpty ? "" : "(\(types.joined(separator: ", ")))")
    }

    private func faults(of sql: String, _ types: String) async throws -> [String] {
        try await connection.script("PREPARE planned\(types) AS \(sql)")
        let counts = try await connection.query(
            "SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'planned'")
        let count = try counts[0].int("count")
        let values = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
        let rows = try await connection.query("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE planned\(values)")
        try await connection.script("DEALLOCATE planned")
        let plan = try JSONSerialization.jsonObject(with: Data(rows[0].string("QUERY PLAN").utf8))
        return ((plan as? [[String: Any]])?.first?["Plan"] as? [String: Any]).map { faults(in: $0, isLimited: false) }
            ?? ["the plan cannot be read"]
    }

    private func faults(in node: [String: Any], isLimited: Bool) -> [String] {
        let type = node["Node Type"] as? String ?? ""
        let children = node["Plans"] as? [[String: Any]] ?? []
        // Below these nodes a LIMIT still ends the walk after a few rows.
        let passesLimit = ["Limit", "LockRows", "Result", "Subquery Scan"].contains(type)
        let limits = type == "Limit" || (isLimited && passesLimit)
        return own(type, node, isLimited: isLimited) + hashed(children, of: node)
            + children.flatMap { faults(in: $0, isLimited: limits) }
    }

    /// Subqueries of a node that are read whole, once, into a table of hashes, though they begin with no more than a
    /// partition: also rows that come and go may be a million on a bad day.
    private func hashed(_ children: [[String: Any]], of node: [String: Any]) -> [String] {
        let texts = node.values.flatMap { $0 as? [String] ?? ($0 as? String).map { [$0] } ?? [] }
        return children.compactMap { child in
            guard let name = child["Subplan Name"] as? String, texts.contains(where: { $0.contains("hashed \(name)") }),
                let table = growingTable(in: child)
            else { return nil }
            return "hashes rows of \(table)"
        }
    }

    private func growingTable(in node: [String: Any]) -> String? {
        if let table = node["Relation Name"] as? String, growing.contains(table) { return table }
        return (node["Plans"] as? [[String: Any]] ?? []).lazy.compactMap(growingTable).first
    }

    private func own(_ type: String, _ node: [String: Any], isLimited: Bool) -> [String] {
        if type == "Seq Scan", let table = node["Relation Name"] as? String, growing.contains(table) {
            return ["reads all of \(table)"]
        }
        guard let name = node["Index Name"] as? String, let index = indexes[name], growing.contains(index.table),
            !open.contains(name)
        else { return [] }
        if isLimited, node["Filter"] == nil { return [] }
        let condition = node["Index Cond"] as? String ?? ""
        guard let narrow = index.columns.firstIndex(where: { !Self.shared.contains($0) }) else {
            return isLimited
                ? [] : ["walks index \(name), of which many rows have one key"]
        }
        let missing = index.columns[...narrow].filter {
            !condition.split { !$0.isLetter && $0 != "_" }.contains(Substring($0))
        }
        guard !missing.isEmpty else { return [] }
        return ["reads all of index \(name) (no condition on \(missing.joined(separator: ", ")))"]
    }

    /// The tables of which a function call, with real arguments, read more than a few rows. Its writes are undone.
    public func faults(ofCall sql: String) async throws -> [String] {
        struct Undone: Error {}
        var faults: [String] = []
        do {
            try await connection.transaction { connection in
                _ = try await connection.query(sql)
                let rows = try await connection.query(
                    """
                    SELECT relname::text AS name, coalesce(seq_scan, 0) AS scans, coalesce(idx_tup_fetch, 0) AS fetched
                    FROM pg_stat_xact_user_tables
                    """)
                for row in rows where growing.contains(try row.string("name")) {
                    if try row.int64("scans") > 0 { faults.append("reads all of \(try row.string("name"))") }
                    if try row.int64("fetched") > 1_000 {
                        faults.append("fetches \(try row.int64("fetched")) rows of \(try row.string("name"))")
                    }
                }
                throw Undone()
            }
        } catch is Undone {}
        return faults
    }

    /// The functions of a schema that are called by name.
    public func functions(of schema: String) async throws -> Set<String> {
        Set(
            try await connection.query(
                """
                SELECT proname::text AS name FROM pg_proc
                WHERE pronamespace = $1::regnamespace AND prorettype <> 'trigger'::regtype
                """, [schema]
            ).map { try $0.string("name") })
    }
}
