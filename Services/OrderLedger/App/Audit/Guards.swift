import Ledger
import Postgres

/// Looks whether the database still refuses what rule 7 forbids.
struct Guards {
    let connection: PostgresConnection

    func check() async throws -> AuditCheck {
        let triggers = try await missingTriggers()
        let grants = try await forbiddenGrants()
        return AuditCheck(
            "T3", "TAMPER", "triggers enabled, grants right",
            counts: "\(JournalTables.triggers.count) triggers, \(JournalTables.appendOnly.count) tables",
            findings: triggers + grants)
    }

    private func missingTriggers() async throws -> [AuditCheck.Finding] {
        let rows = try await connection.query(
            """
            SELECT t.tgname::text AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
            """, [LedgerSchema.name])
        let enabled = Set(try rows.map { try $0.string("name") })
        return JournalTables.triggers.filter { !enabled.contains($0) }.map {
            .init("trigger \($0) is missing or disabled")
        }
    }

    private func forbiddenGrants() async throws -> [AuditCheck.Finding] {
        let rows = try await connection.query(
            """
            SELECT c.relname::text AS relation, coalesce(r.rolname, 'PUBLIC')::text AS role, a.privilege_type AS privilege
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL aclexplode(c.relacl) a
            LEFT JOIN pg_roles r ON r.oid = a.grantee
            WHERE n.nspname = $1 AND c.relname = ANY($2) AND a.grantee <> c.relowner
                AND a.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER') ORDER BY 1, 2, 3
            """, [LedgerSchema.name, JournalTables.appendOnly])
        return try rows.map { row in
            .init("\(try row.string("role")) may \(try row.string("privilege")) \(try row.string("relation"))")
        }
    }
}
