import Ledger
import OrchardPostgres

/// Looks whether the database still refuses what rule 7 forbids.
struct Guards {
    let connection: PostgresConnection

    func check() async throws -> AuditCheck {
        AuditCheck(
            "T3", "TAMPER", "triggers enabled, grants right",
            counts: "\(JournalTables.triggers.count) triggers, \(JournalTables.appendOnly.count) tables",
            findings: try await missingTriggers() + forbiddenGrants())
    }

    /// Triggers that are not there as the migration made them: table, event, no condition, and what they run.
    private func missingTriggers() async throws -> [AuditCheck.Finding] {
        let rows = try await connection.query(
            """
            SELECT t.tgname::text AS name, c.relname::text AS relation, p.proname::text AS function,
                t.tgtype::integer AS type, p.prosrc AS body
            FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
            JOIN pg_namespace n ON n.oid = c.relnamespace AND n.oid = p.pronamespace
            WHERE n.nspname = $1 AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL
                AND t.tgattr::text = ''
            """, [LedgerSchema.name])
        var enabled: Set<JournalTables.Trigger> = []
        for row in rows {
            let function = try row.string("function")
            guard try row.string("body") == JournalTables.body(of: function) else { continue }
            enabled.insert(
                JournalTables.Trigger(
                    name: try row.string("name"), table: try row.string("relation"), function: function,
                    type: try row.int32("type")))
        }
        return JournalTables.triggers.filter { !enabled.contains($0) }.map {
            .init("trigger \($0.name) on \($0.table) is missing, disabled or another one")
        }
    }

    /// Who may change rows, or add some without being the service; by table and by column.
    private func forbiddenGrants() async throws -> [AuditCheck.Finding] {
        let rows = try await connection.query(
            """
            SELECT DISTINCT g.relation, coalesce(r.rolname, 'PUBLIC')::text AS role, g.privilege FROM (
                SELECT c.relname::text AS relation, c.relowner, a.grantee, a.privilege_type AS privilege
                FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
                WHERE c.relnamespace = $1::regnamespace AND c.relname = ANY($2)
                UNION ALL
                SELECT (c.relname || '.' || "column".attname)::text, c.relowner, a.grantee, a.privilege_type
                FROM pg_class c JOIN pg_attribute "column" ON "column".attrelid = c.oid
                CROSS JOIN LATERAL aclexplode("column".attacl) a
                WHERE c.relnamespace = $1::regnamespace AND c.relname = ANY($2)) g
            LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE g.grantee <> g.relowner AND (g.privilege IN ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
                OR g.privilege = 'INSERT' AND r.rolname IS DISTINCT FROM $3)
            ORDER BY 1, 2, 3
            """, [LedgerSchema.name, JournalTables.appendOnly, LedgerSchema.serviceRole])
        return try rows.map { row in
            .init("\(try row.string("role")) may \(try row.string("privilege")) \(try row.string("relation"))")
        }
    }
}
