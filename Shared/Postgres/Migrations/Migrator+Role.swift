extension Migrator {
    /// Makes sure that a service connects under a role that the database's rules bind.
    ///
    /// A superuser, or the owner of the schema or of one of its objects, could switch every guard off: so could an
    /// attacker who controls the service.
    ///
    /// - Parameter role: the service's role; the login must be a member of it.
    /// - Throws: ``PostgresError/Code/migration`` with what to do.
    public func checkRole(_ role: String, on connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT current_user::text AS name,
                (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
                EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = $1 AND (pg_has_role(n.nspowner, 'MEMBER')
                    OR EXISTS (SELECT FROM pg_class c
                        WHERE c.relnamespace = n.oid AND pg_has_role(c.relowner, 'MEMBER')))) AS owner,
                EXISTS (SELECT FROM pg_roles r WHERE r.rolname = $2 AND pg_has_role(r.oid, 'USAGE')) AS member
            """, [schema, role])
        guard let row = rows.first else { return }
        let name = try row.string("name")
        let words = "Connect as a login of its own: CREATE ROLE … LOGIN IN ROLE \(role)"
        guard try !row.bool("superuser") else {
            throw PostgresError(
                .migration, "the service connects as \(name), a superuser, whom no right and no trigger binds. \(words)"
            )
        }
        guard try !row.bool("owner") else {
            throw PostgresError(
                .migration,
                "the service connects as \(name), who owns schema \(schema) and may switch its guards off: that role is "
                    + "for `migrate` alone. \(words)")
        }
        guard try row.bool("member") else {
            throw PostgresError(.migration, "the service connects as \(name), who is no member of \(role). \(words)")
        }
    }
}
