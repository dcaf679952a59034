import OrchardPostgres
import TestSupport
import Testing

@Suite("Migrations", .timeLimit(.minutes(4)))
struct MigratorTests {
    private let first = Migration(1, "journal", sql: "CREATE TABLE entries (a bigint); INSERT INTO entries VALUES (1);")
    private let second = Migration(2, "more", sql: "ALTER TABLE entries ADD b text;")

    @Test func runOnceEach() async throws {
        try await withConnection { connection in
            #expect(try await Migrator(schema: "books", migrations: [first]).migrate(connection) == ["0001_journal"])
            let both = Migrator(schema: "books", migrations: [first, second])
            await #expect { try await both.check(connection) } throws: { "\($0)".contains("0002_more") }
            #expect(try await both.migrate(connection) == ["0002_more"])
            #expect(try await both.migrate(connection) == [])
            try await both.check(connection)
            #expect(try await connection.query("SELECT a, b FROM books.entries").count == 1)
        }
    }

    @Test func waitForEachOtherWhenTwoInstancesMigrateAtOnce() async throws {
        try await TestDatabase.with { database in
            let migrator = Migrator(schema: "books", migrations: [first, second])
            let runs = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await migrator.migrate(try await PostgresConnection.connect(database.configuration))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(runs.flatMap { $0 }.sorted() == ["0001_journal", "0002_more"])
        }
    }

    @Test func areNotEndedForThePausesBetweenTheirStatements() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.idleInTransactionTimeout = .milliseconds(1)
            let migrations = [first] + (2..<20).map { Migration($0, "more", sql: "CREATE TABLE t\($0) (a bigint)") }
            let connection = try await PostgresConnection.connect(configuration)
            let run = try await Migrator(schema: "books", migrations: migrations).migrate(connection)
            #expect(run.count == migrations.count)
        }
    }

    @Test func thatFailLeaveNothingBehindAndNameThemselves() async throws {
        try await withConnection { connection in
            let broken = Migration(2, "broken", sql: "CREATE TABLE rest (a bigint);\nCREATE TABLE entries (a bigint);")
            await #expect {
                try await Migrator(schema: "books", migrations: [first, broken]).migrate(connection)
            } throws: { "\($0)".contains("0002_broken") && "\($0)".contains("already exists") }
            try await Migrator(schema: "books", migrations: [first]).check(connection)
            #expect(try await !connection.query("SELECT to_regclass('books.rest') IS NOT NULL AS e")[0].bool("e"))
        }
    }

    @Test func stopAtAnIndexThatWasBrokenOff() async throws {
        try await withConnection { connection in
            let migrator = Migrator(schema: "books", migrations: [first])
            try await migrator.migrate(connection)
            try await connection.execute("INSERT INTO books.entries VALUES (1)")
            // Two equal rows: it fails at the end, and leaves its index behind.
            await #expect(throws: PostgresError.self) {
                try await connection.execute("CREATE UNIQUE INDEX CONCURRENTLY once ON books.entries (a)")
            }
            let indexed = Migrator(
                schema: "books",
                migrations: [
                    first, Migration(2, "index", sql: "CREATE UNIQUE INDEX IF NOT EXISTS once ON entries (a)"),
                ])
            await #expect { try await indexed.migrate(connection) } throws: { "\($0)".contains("books.once") }
            try await connection.script("DROP INDEX books.once; TRUNCATE books.entries")
            #expect(try await indexed.migrate(connection) == ["0002_index"])
        }
    }

    @Test func tellTheServicesLoginToTakeTheOwners() async throws {
        try await withConnection { connection in
            let role = "reader_\(UInt32.random(in: 0 ... .max))"
            try await connection.execute("CREATE ROLE \(role)")
            try await connection.execute("SET ROLE \(role)")
            await #expect {
                try await Migrator(schema: "books", migrations: [first]).migrate(connection)
            } throws: { "\($0)".contains("`migrate` connects as its owner, not as the service") }
            try await connection.execute("RESET ROLE")
            try await connection.execute("DROP ROLE \(role)")
        }
    }

    @Test func refuseAChangedHistory() async throws {
        try await withConnection { connection in
            try await Migrator(schema: "books", migrations: [first]).migrate(connection)
            let changed = Migrator(schema: "books", migrations: [Migration(1, "journal", sql: "SELECT 1")])
            await #expect { try await changed.migrate(connection) } throws: {
                ($0 as? PostgresError)?.code == .migration
            }
        }
    }

    @Test func letTheVersionBeforeStartWhenTheyAreAdditiveOnly() async throws {
        try await withConnection { connection in
            let before = Migrator(schema: "books", migrations: [first])
            let added = Migration(2, "more", isAdditive: true, sql: "ALTER TABLE entries ADD b text;")
            try await Migrator(schema: "books", migrations: [first, added]).migrate(connection)
            try await before.check(connection)
            let removed = Migration(3, "less", sql: "ALTER TABLE entries DROP a;")
            try await Migrator(schema: "books", migrations: [first, added, removed]).migrate(connection)
            await #expect { try await before.check(connection) } throws: { "\($0)".contains("run a newer version") }
        }
    }

    /// What waits for a table's lock makes all later statements on the table wait behind it.
    @Test func letOthersPassWhileTheyWaitForALock() async throws {
        try await TestDatabase.with { database in
            let (owner, reader, other) = (
                try await PostgresConnection.connect(database.configuration),
                try await PostgresConnection.connect(database.configuration),
                try await PostgresConnection.connect(database.configuration)
            )
            try await Migrator(schema: "books", migrations: [first]).migrate(owner)
            try await reader.execute("BEGIN")
            _ = try await reader.query("SELECT a FROM books.entries")
            async let run = Migrator(schema: "books", migrations: [first, second]).migrate(owner)
            try await eventually {
                try await !other.query(
                    """
                    SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """
                ).isEmpty
            }
            // Let in when the migration gives up for a moment, long before the reader ends.
            _ = try await other.query("SELECT a FROM books.entries")
            try await reader.execute("COMMIT")
            #expect(try await run == ["0002_more"])
        }
    }

    @Test func giveTheServiceARoleThatCanDoNoMoreThanItsRules() async throws {
        try await TestDatabase.with { database in
            let role = "r\(database.name)"
            let owner = try await PostgresConnection.connect(database.configuration)
            let names = Migrator(schema: "books", migrations: [])
            let migrator = Migrator(
                schema: "books",
                migrations: [
                    Migration(
                        1, "journal",
                        sql: names.roleSQL(role) + """
                            CREATE TABLE entries (a bigint);
                            GRANT SELECT, INSERT ON entries TO \(role);
                            """)
                ])
            try await migrator.migrate(owner)
            try await owner.script("CREATE ROLE \(role)_login LOGIN IN ROLE \(role)")
            let service = try await PostgresConnection.connect(database.configuration(as: "\(role)_login"))
            try await migrator.check(service)
            try await service.execute("INSERT INTO books.entries VALUES (1)")
            for sql in ["UPDATE books.entries SET a = 2", "DELETE FROM books.entries", "TRUNCATE books.entries"] {
                await #expect { try await service.execute(sql) } throws: { ($0 as? PostgresError)?.sqlState == "42501" }
            }
            await service.close()
            try await owner.script("DROP OWNED BY \(role); DROP ROLE \(role)_login, \(role)")
        }
    }

    @Test func runAsAnOwnerWhoMayCreateNoRoleWhenTheRoleIsThere() async throws {
        try await TestDatabase.with { database in
            let role = "r\(database.name)"
            let superuser = try await PostgresConnection.connect(database.configuration)
            try await superuser.script(
                """
                CREATE ROLE \(role)_owner LOGIN NOCREATEROLE;
                ALTER DATABASE \(database.name) OWNER TO \(role)_owner;
                """)
            let owner = try await PostgresConnection.connect(database.configuration(as: "\(role)_owner"))
            let sql = Migrator(schema: "books", migrations: []).roleSQL(role)
            let migrator = Migrator(schema: "books", migrations: [Migration(1, "journal", sql: sql)])
            await #expect { try await migrator.migrate(owner) } throws: {
                ($0 as? PostgresError)?.sqlState == "42501"
            }
            try await superuser.script("CREATE ROLE \(role) NOLOGIN")
            #expect(try await migrator.migrate(owner) == ["0001_journal"])
            await owner.close()
            try await superuser.script(
                """
                ALTER DATABASE \(database.name) OWNER TO CURRENT_USER;
                DROP OWNED BY \(role), \(role)_owner; DROP ROLE \(role), \(role)_owner
                """)
        }
    }
}
