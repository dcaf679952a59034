import Ledger
import OrchardPostgres

extension DatabaseCheck {
    static let cardNumbers = DatabaseCheck(id: "P1") { try await CardNumberAudit(connection: $0).check() }
}

/// Searches every text and bytes column of the schema for card numbers, some blocks of a table at a time.
struct CardNumberAudit {
    let connection: PostgresConnection
    /// How many blocks of 8 KB a statement reads.
    static let blocks = 2_048

    private struct Column {
        let name: String
        let isBytes: Bool

        var text: String { isBytes ? #"encode("\#(name)", 'escape')"# : #""\#(name)"::text"# }
    }

    func check() async throws -> AuditCheck {
        // Kafka's own name for the cluster comes from no payment, and some clusters' names are long numbers.
        let rows = try await connection.query(
            """
            SELECT c.table_name::text AS relation, c.column_name::text AS name, c.data_type = 'bytea' AS bytes
            FROM information_schema.columns c JOIN pg_class r ON r.relname = c.table_name
                AND r.relnamespace = $1::regnamespace AND r.relkind IN ('r', 'm')
            WHERE c.table_schema = $1 AND c.data_type IN ('text', 'bytea', 'json', 'jsonb')
                AND NOT (c.table_name = 'inbox_watermarks' AND c.column_name = 'cluster_id')
            ORDER BY 1, 2
            """, [LedgerSchema.name])
        var tables: [String: [Column]] = [:]
        for row in rows {
            tables[try row.string("relation"), default: []].append(
                Column(name: try row.string("name"), isBytes: try row.bool("bytes")))
        }
        var findings: [AuditCheck.Finding] = []
        for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
            for (name, count) in try await search(table, columns) where count > 0 {
                findings.append(.init("\(count) in \(table).\(name)"))
            }
        }
        return AuditCheck(
            "P1", "SECRETS", "card numbers (Luhn) in columns",
            counts: "\(rows.count) columns: \(findings.count) hold any", findings: findings)
    }

    /// How many card numbers each column of a table may hold.
    private func search(_ table: String, _ columns: [Column]) async throws -> [(name: String, count: Int)] {
        // The database passes on only what has enough digits in a row, perhaps in groups.
        let texts = columns.enumerated().map {
            #"CASE WHEN \#($1.text) ~ '[0-9]([ -]?[0-9]){12}' THEN \#($1.text) END AS "\#($0)""#
        }
        let sizes = try await connection.query(
            "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks",
            [#"ledger."\#(table)""#])
        let end = try sizes[0].int("blocks")
        var counts = columns.map { (name: $0.name, count: 0) }
        for first in stride(from: 0, to: end, by: Self.blocks) {
            let found = try await connection.query(
                """
                SELECT * FROM (SELECT \(texts.joined(separator: ", ")) FROM ledger."\(table)"
                    WHERE ctid >= '(\(first),0)' AND ctid < '(\(first + Self.blocks),0)') AS texts
                WHERE coalesce(\(columns.indices.map { "\"\($0)\"" }.joined(separator: ", "))) IS NOT NULL
                """)
            for row in found {
                for index in columns.indices {
                    guard let text = try row.optionalString("\(index)") else { continue }
                    counts[index].count += CardNumberScan.count(in: Array(text.utf8))
                }
            }
        }
        return counts
    }
}
