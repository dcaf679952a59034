import Ledger
import OrchardPostgres

/// Searches every text and bytes column of the schema for card numbers. Each statement reads some blocks of a table,
/// and all connections work at once. Rows that the audit has read anyway were searched then.
///
/// The server only sends the columns: searching them for digits costs it many times more than this program.
struct CardNumberAudit {
    let connections: LedgerConnections
    /// What was found in the tables that were searched.
    let searched: [String: CardNumberCounts]
    /// How many blocks of 8 KB a statement reads.
    static let blocks = 1_024

    private struct Column {
        let name: String
        let isPassedOn: Bool

        /// The column as it is stored, or as text.
        var sql: String { CardNumberAudit.quoted(name) + (isPassedOn ? "" : "::text") }
    }

    /// Some blocks of a table.
    private struct Part {
        let table: String
        let columns: [Column]
        let first: Int
    }

    func check() async throws -> AuditCheck {
        let connection = connections.first.connection
        // Kafka's own name for the cluster comes from no payment, and some clusters' names are long numbers.
        let rows = try await connection.query(
            """
            SELECT c.table_name::text AS relation, c.column_name::text AS name,
                c.data_type IN ('bytea', 'text') AS passed_on
            FROM information_schema.columns c JOIN pg_class r ON r.relname = c.table_name
                AND r.relnamespace = $1::regnamespace AND r.relkind IN ('r', 'm')
            WHERE c.table_schema = $1 AND c.data_type IN ('text', 'bytea', 'json', 'jsonb')
                AND NOT (c.table_name = 'inbox_watermarks' AND c.column_name = 'cluster_id')
            ORDER BY 1, 2
            """, [LedgerSchema.name])
        var tables: [String: [Column]] = [:]
        for row in rows {
            tables[try row.string("relation"), default: []].append(
                Column(name: try row.string("name"), isPassedOn: try row.bool("passed_on")))
        }
        // A table with a column that the audit does not know is searched as a whole.
        let known = searched.filter { table, found in
            tables[table]?.allSatisfy { found.counts[$0.name] != nil } == true
        }
        var counts = try await count(tables.filter { known[$0.key] == nil })
        for (table, found) in known { counts[table] = tables[table]?.map { found.counts[$0.name] ?? 0 } }
        var findings: [AuditCheck.Finding] = []
        for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
            for (column, count) in zip(columns, counts[table] ?? []) where count > 0 {
                findings.append(.init("\(count) in \(table).\(column.name)"))
            }
        }
        return AuditCheck(
            "P1", "SECRETS", "card numbers (Luhn) in columns",
            counts: "\(rows.count) columns: \(findings.count) hold any", findings: findings)
    }

    /// How many card numbers each column of each table may hold.
    private func count(_ tables: [String: [Column]]) async throws -> [String: [Int]] {
        var parts: [Part] = []
        for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
            let sizes = try await connections.first.connection.query(
                "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks",
                ["ledger.\(Self.quoted(table))"])
            for first in stride(from: 0, to: try sizes[0].int("blocks"), by: Self.blocks) {
                parts.append(Part(table: table, columns: columns, first: first))
            }
        }
        let found = try await connections.map(parts) { part, _, reader in
            try await Self.search(part, reader.connection)
        }
        var counts: [String: [Int]] = [:]
        for (part, more) in zip(parts, found) {
            counts[part.table] = counts[part.table].map { zip($0, more).map { $0 + $1 } } ?? more
        }
        return counts
    }

    /// A name in SQL: tables that somebody added are searched too, whatever they are called.
    private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// How many card numbers each column of some blocks may hold. Only `facts` has a column `record`.
    private static func search(_ part: Part, _ connection: PostgresConnection) async throws -> [Int] {
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT \(part.columns.map(\.sql).joined(separator: ", ")) FROM ledger.\(quoted(part.table))
                WHERE ctid >= '(\(part.first),0)' AND ctid < '(\(part.first + Self.blocks),0)'
                """)
        ])
        let place = JournalPosition(partition: 0, offset: 0)
        let found = try CardNumberCounts(results[0], unpack: { JournalRecord(position: place, packed: $1) })
        return part.columns.map { found.counts[$0.name] ?? 0 }
    }
}

/// How many card numbers the text and bytes columns of some rows may hold.
struct CardNumberCounts: Hashable, Sendable {
    /// By the name of the column.
    private(set) var counts: [String: Int] = [:]

    /// - Parameter unpack: gives the record in the column `record` of `facts`, by the number of the row and what the column
    ///   holds; nil where that is no record.
    init(_ result: PostgresResult, unpack: ((Int, Span<UInt8>) -> JournalRecord?)? = nil) throws {
        let columns = result.textColumns
        let packed = unpack == nil ? nil : columns.firstIndex { $0.name == "record" }
        var found = Array(repeating: 0, count: columns.count)
        for (number, row) in result.rows.enumerated() {
            for (index, column) in columns.enumerated() {
                found[index] +=
                    try row.withBytes(at: column.position) { bytes in
                        if index == packed, let record = unpack?(number, bytes) {
                            return CardNumberScan.count(in: record)
                        }
                        return CardNumberScan.count(in: bytes)
                    } ?? 0
            }
        }
        for (column, count) in zip(columns, found) { counts[column.name] = count }
    }

    /// These counts and those of other rows of the same table.
    func adding(_ other: Self) -> Self {
        var sum = self
        sum.counts.merge(other.counts, uniquingKeysWith: +)
        return sum
    }
}
