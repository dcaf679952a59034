import Ledger
import OrchardPostgres

/// Searches every text and bytes column of the schema for card numbers.
struct CardNumberAudit {
    let connection: PostgresConnection

    func check() async throws -> AuditCheck {
        // Kafka's own name for the cluster comes from no payment, and some clusters' names are long numbers.
        let columns = try await connection.query(
            """
            SELECT table_name::text AS relation, column_name::text AS name, data_type::text AS type
            FROM information_schema.columns WHERE table_schema = $1 AND data_type IN ('text', 'bytea', 'json', 'jsonb')
                AND NOT (table_name = 'inbox_watermarks' AND column_name = 'cluster_id')
            ORDER BY 1, 2
            """, [LedgerSchema.name])
        var findings: [AuditCheck.Finding] = []
        for column in columns {
            let (relation, name) = (try column.string("relation"), try column.string("name"))
            let found = try await search(relation, name, isBytes: try column.string("type") == "bytea")
            if found > 0 { findings.append(.init("\(found) in \(relation).\(name)")) }
        }
        return AuditCheck(
            "P1", "SECRETS", "card numbers (Luhn) in columns",
            counts: "\(columns.count) columns: \(findings.count) hold any",
            findings: findings)
    }

    private func search(_ relation: String, _ column: String, isBytes: Bool) async throws -> Int {
        // The database passes on only what has enough digits in a row, perhaps in groups.
        let text = isBytes ? #"encode("\#(column)", 'escape')"# : #""\#(column)"::text"#
        let rows = try await connection.query(
            #"SELECT \#(text) AS text FROM ledger."\#(relation)" WHERE \#(text) ~ '[0-9]([ -]?[0-9]){12}'"#)
        return try rows.reduce(0) { $0 + CardNumberScan.count(in: try $1.string("text").utf8) }
    }
}
