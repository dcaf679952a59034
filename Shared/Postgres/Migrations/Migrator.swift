/// Brings a service's schema to the binary's state, and checks at the start that it is there.
///
/// Two roles share the work, so that a service can do no more than its rules allow:
///
/// - `SERVICE migrate` connects as the **owner** of the schema, with `statementTimeout` nil, and runs ``migrate(_:)``.
/// - The service connects as a **member of a restricted role** (`CREATE ROLE … NOLOGIN` in the first migration, see
///   ``roleSQL(_:)``); each migration grants that role exactly what it needs, on journal tables SELECT and INSERT only.
///   It runs ``check(_:)``.
public struct Migrator: Sendable {
    /// The schema that holds the service's tables and `schema_migrations`.
    public let schema: String
    private let migrations: [Migration]

    /// - Parameter migrations: numbered 1, 2, 3 …
    public init(schema: String, migrations: [Migration]) {
        precondition(schema.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }, "a plain name")
        precondition(migrations.enumerated().allSatisfy { $0 + 1 == $1.number }, "migrations are numbered 1, 2, 3 …")
        self.schema = schema
        self.migrations = migrations
    }

    /// Creates a role without login, if it is missing, and lets it see the schema and its history. Roles belong to the
    /// whole server: several databases may create the same one at once.
    ///
    /// Its text is part of the migrations that use it, and so of their checksums: it is never changed.
    public func roleSQL(_ role: String) -> String {
        """
        DO $$ BEGIN
            PERFORM pg_advisory_xact_lock(hashtextextended('orchard.roles', 0));
            CREATE ROLE \(role) NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$;
        GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT ON \(schema).schema_migrations TO \(role);
        """
    }

    /// Runs what is missing, each migration in a transaction with its history row. Concurrent runs wait for each other.
    ///
    /// - Parameter connection: the migration's own; it is left without a time-out for idle transactions.
    /// - Returns: the titles of the migrations that were run.
    /// - Throws: ``PostgresError/Code/migration`` when history and binary differ; the server's refusal of a script.
    @discardableResult
    public func migrate(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(
            "SELECT pg_advisory_lock(hashtextextended('orchard.migrations.' || $1, 0))", [schema])
        do {
            let titles = try await migrateLocked(connection)
            try await unlock(connection)
            return titles
        } catch {
            try? await unlock(connection)
            guard let refusal = error as? PostgresError, refusal.sqlState == "42501" else { throw error }
            throw PostgresError(
                .migration,
                "this login may not change schema \(schema): `migrate` connects as its owner, not as the service "
                    + "(\(refusal.reason))", sqlState: refusal.sqlState)
        }
    }

    /// Makes sure that the database is at the binary's state, or newer by additive migrations only.
    ///
    /// - Throws: ``PostgresError/Code/migration`` with what to do.
    public func check(_ connection: PostgresConnection) async throws {
        let pending = try await pending(connection)
        guard let first = pending.first else { return }
        throw PostgresError(
            .migration, "schema \(schema) lacks \(pending.count) migrations from \(first.title) on: run `migrate` first"
        )
    }

    private func migrateLocked(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.script(
            """
            SET client_min_messages = warning;
            -- The work between two statements is this process' own and may be starved; a session that is lost ends anyway.
            SET idle_in_transaction_session_timeout = 0;
            CREATE SCHEMA IF NOT EXISTS \(schema);
            CREATE TABLE IF NOT EXISTS \(schema).schema_migrations (
                number integer PRIMARY KEY, name text NOT NULL, checksum bytea NOT NULL,
                additive boolean NOT NULL DEFAULT false,
                applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
            COMMENT ON TABLE \(schema).schema_migrations IS 'The migrations that made this schema';
            """)
        try await refuseInvalidIndexes(connection)
        let pending = try await pending(connection)
        for migration in pending {
            do { try await runBetweenOthers(migration, on: connection) } catch let error as PostgresError {
                throw PostgresError(
                    error.code, "migration \(migration.title): \(error.reason)", sqlState: error.sqlState,
                    constraint: error.constraint, statement: error.statement)
            }
        }
        return pending.map(\.title)
    }

    /// An index that was made before, with CONCURRENTLY, and was broken off is there by name and serves no query: a
    /// migration that finds it would go on without it.
    private func refuseInvalidIndexes(_ connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND NOT i.indisvalid ORDER BY 1
            """, [schema])
        guard !rows.isEmpty else { return }
        let names = try rows.map { try $0.string("name") }.joined(separator: ", ")
        throw PostgresError(
            .migration,
            "not valid, because CREATE INDEX CONCURRENTLY still runs or was broken off: \(names). Wait for it, or run "
                + "DROP INDEX and make it again; then run `migrate` again")
    }

    /// How often a migration asks for its locks. All later statements on the table wait behind it, so it waits a few
    /// seconds only, and then lets the others pass.
    private static let attempts = 60

    private func runBetweenOthers(_ migration: Migration, on connection: PostgresConnection) async throws {
        for _ in 1..<Self.attempts {
            do { return try await run(migration, on: connection) } catch let error as PostgresError
                where error.sqlState == "55P03" || error.sqlState == "40P01"
            {
                try await Task.sleep(for: .seconds(1))
            }
        }
        try await run(migration, on: connection)
    }

    private func run(_ migration: Migration, on connection: PostgresConnection) async throws {
        try await connection.transaction { connection in
            try await connection.script(
                """
                SET LOCAL search_path = \(schema), pg_catalog;
                SET LOCAL statement_timeout = 0;
                SET LOCAL lock_timeout = '3s';
                """)
            try await connection.script(Self.withoutRolesThatExist(migration.sql))
            try await connection.execute(
                """
                INSERT INTO \(schema).schema_migrations (number, name, checksum, additive)
                VALUES ($1, $2, sha256(convert_to($3, 'UTF8')), $4)
                """, [Int32(migration.number), migration.name, migration.sql, migration.isAdditive])
        }
    }

    /// An owner who may create no roles can migrate when an administrator has made the service's: PostgreSQL asks for the
    /// right before it looks whether the role exists. The migration's own text stays as it is.
    private static func withoutRolesThatExist(_ sql: String) -> String {
        sql.replacing(#/CREATE ROLE (\w+) NOLOGIN;/#) { match in
            "IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '\(match.1)') THEN \(match.0) END IF;"
        }
    }

    private func pending(_ connection: PostgresConnection) async throws -> [Migration] {
        let results = try await connection.pipeline([
            PostgresStatement("SELECT to_regclass($1) IS NOT NULL AS exists", ["\(schema).schema_migrations"]),
            PostgresStatement(
                "SELECT sha256(convert_to(sql, 'UTF8')) AS checksum FROM unnest($1) WITH ORDINALITY AS t(sql, n) ORDER BY n",
                [migrations.map(\.sql)]),
        ])
        let known = try zip(migrations, results[1].rows).map { ($0, try $1.bytes("checksum")) }
        guard try results[0].rows.first?.bool("exists") == true else { return migrations }
        let applied = try await connection.query(
            "SELECT number, name, checksum, additive FROM \(schema).schema_migrations ORDER BY number")
        return try MigrationHistory.pending(
            known: known,
            applied: applied.map {
                MigrationHistory.Applied(
                    number: try $0.int("number"), name: try $0.string("name"), checksum: try $0.bytes("checksum"),
                    isAdditive: try $0.bool("additive"))
            })
    }

    private func unlock(_ connection: PostgresConnection) async throws {
        try await connection.execute(
            "SELECT pg_advisory_unlock(hashtextextended('orchard.migrations.' || $1, 0))", [schema])
    }
}
