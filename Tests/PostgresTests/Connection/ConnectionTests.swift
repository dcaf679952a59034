import OrchardPostgres
import TestSupport
import Testing

@Suite("A connection", .timeLimit(.minutes(4)))
struct ConnectionTests {
    @Test func preparesEachStatementOnce() async throws {
        try await withConnection { connection in
            for number in 0..<3 { _ = try await connection.query("SELECT $1 + 1 AS n", [Int64(number)]) }
            let rows = try await connection.query(
                "SELECT count(*) AS n FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1 AS n'")
            #expect(try rows[0].int("n") == 1)
        }
    }

    /// On a socket of this machine it means nothing, so that its value tells nothing here.
    @Test func endsOnTheServerWhenItsProcessFreezesWhileItIsSentAResult() async throws {
        try await withConnection { connection in
            let setting = try await connection.query("SELECT source FROM pg_settings WHERE name = 'tcp_user_timeout'")
            #expect(try setting[0].string("source") == "session")
        }
    }

    /// A table without a suitable index can only be scanned; that counts as expensive.
    @Test func compilesNoStatementWhereItPlansByKey() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE t (a bigint); SET jit = on")
            _ = try await connection.query(PostgresConfiguration.planningByKey)
            let plan = try await connection.query("EXPLAIN (ANALYZE) SELECT a FROM t WHERE a > 1").map {
                try $0.string("QUERY PLAN")
            }
            #expect(plan.first?.contains("Seq Scan on t") == true, "\(plan)")
            #expect(!plan.contains { $0.contains("JIT") }, "\(plan)")
            #expect(try await connection.query("SHOW jit")[0].string("jit") == "off")
        }
    }

    /// To the server all indexes of a table that it knows to be empty are equally good, and it takes the newest. Nothing tells
    /// it here that the table has grown.
    @Test func plansItsStatementsAnewAfterAWhileWhereItPlansByKey() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.plansByKey = true
            configuration.replanInterval = .zero
            let connection = try await PostgresConnection.connect(configuration)
            try await connection.script(
                """
                CREATE TABLE t (a bigint PRIMARY KEY, b bigint) WITH (autovacuum_enabled = off);
                CREATE INDEX t_b_a ON t (b, a); ANALYZE t
                """)
            let statement = "SELECT b FROM t WHERE a = $1"
            _ = try await connection.query(statement, [Int64(1)])
            let name = try await connection.query(
                "SELECT name::text AS name FROM pg_prepared_statements WHERE statement = $1", [statement]
            )[0].string("name")
            func plan() async throws -> String {
                try await connection.query("EXPLAIN EXECUTE \(name)(1)").map { try $0.string("QUERY PLAN") }.joined()
            }
            let first = try await plan()
            #expect(first.contains("t_b_a"))
            try await connection.script("INSERT INTO t SELECT n, n FROM generate_series(1, 10000) AS n")
            let second = try await plan()
            #expect(second.contains("t_pkey"))
            // A snapshot begins with its transaction's own statements.
            let counts = try await connection.transaction(.snapshot) {
                try await $0.query("SELECT count(*) AS n FROM t")
            }
            #expect(try counts[0].int("n") == 10_000)
            await connection.close()
        }
    }

    @Test func keepsWorkingWhenATableChangesUnderAPreparedStatement() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1)")
            _ = try await connection.query("SELECT * FROM t")
            try await connection.script("ALTER TABLE t ALTER a TYPE text")
            await #expect { try await connection.query("SELECT * FROM t") } throws: {
                ($0 as? PostgresError)?.sqlState == "0A000"
            }
            #expect(try await connection.query("SELECT * FROM t")[0].string("a") == "1")
        }
    }

    @Test func aPipelineOutsideATransactionIsAllOrNothing() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE t (a bigint PRIMARY KEY)")
            await #expect { try await connection.pipeline((1...5).map { insert(Int64($0 % 4)) }) } throws: {
                ($0 as? PostgresError)?.isUniqueViolation == true && ($0 as? PostgresError)?.constraint == "t_pkey"
            }
            #expect(try await connection.query("SELECT count(*) AS n FROM t")[0].int("n") == 0)
            let results = try await connection.pipeline([insert(1), insert(2), PostgresStatement("SELECT a FROM t")])
            #expect(results.map(\.affectedRows) == [1, 1, 2])
        }
    }

    @Test func aLargePipelineDoesNotStall() async throws {
        // More than both sockets' buffers hold, in both directions at once.
        let text = String(repeating: "x", count: 10_000)
        try await withConnection { connection in
            let results = try await connection.pipeline(
                (0..<2000).map { PostgresStatement("SELECT $1 || $2 AS t", [text, "\($0)"]) })
            #expect(try results.last?.rows[0].string("t") == text + "1999")
        }
    }

    @Test(arguments: [
        "SELECT $1::integer", "SELECT $1::timestamptz", "SELECT $1::jsonb", "INSERT INTO t VALUES ($1), ($1)",
        "SELECT 1 FROM t WHERE f($1)", "INSERT INTO small VALUES ($1)",
    ])
    func errorsNeverHoldAParameter(_ sql: String) async throws {
        let secret = "4111111111111111x"
        try await withConnection { connection in
            try await connection.script(
                """
                CREATE TABLE t (a text PRIMARY KEY, CHECK (a <> 'y'));
                CREATE TABLE small (a varchar(3));
                CREATE FUNCTION f(text) RETURNS boolean LANGUAGE sql AS $$ SELECT $1::bigint > 0 $$;
                INSERT INTO t VALUES ('z')
                """)
            await #expect {
                try await connection.query(sql, [secret])
            } throws: { error in
                !"\(error)".contains("4111") && !String(reflecting: error).contains("4111")
            }
            #expect(try await connection.query("SELECT 1 AS n")[0].int("n") == 1)
        }
    }

    @Test func aConnectionStringIsNeverQuoted() async throws {
        await #expect {
            _ = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: "host=/nowhere password=tulip5 nonsense tulip5"))
        } throws: { !"\($0)".contains("tulip5") && ($0 as? PostgresError)?.code == .connectionFailed }
    }

    @Test func aCancelledTaskCancelsItsStatementAndLeavesTheConnectionInStep() async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            let watcher = try await PostgresConnection.connect(database.configuration)
            let pid = try await connection.query("SELECT pg_backend_pid() AS pid")[0].int32("pid")
            let sleeper = Task { try await connection.execute("SELECT pg_sleep(3600)") }
            try await eventually { try await isBusy(pid, watcher) }
            sleeper.cancel()
            await #expect { try await sleeper.value } throws: { ($0 as? PostgresError)?.code == .cancelled }
            #expect(try await !isBusy(pid, watcher))
            #expect(try await connection.query("SELECT 1 AS n")[0].int("n") == 1)
        }
    }

    @Test func aStatementThatTakesTooLongIsEndedByTheServer() async throws {
        var configuration = try TestServers.postgres()
        // The session's own first statements have it too.
        configuration.statementTimeout = .seconds(2)
        let connection = try await PostgresConnection.connect(configuration)
        await #expect { try await connection.execute("SELECT pg_sleep(3600)") } throws: {
            ($0 as? PostgresError)?.sqlState == "57014" && ($0 as? PostgresError)?.code == .server
        }
        #expect(connection.isOpen)
    }

    @Test func aKilledSessionIsALostConnection() async throws {
        try await withConnection { connection in
            await #expect { try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())") } throws: {
                ($0 as? PostgresError)?.code == .connectionLost
            }
            #expect(!connection.isOpen)
            await #expect { try await connection.execute("SELECT 1") } throws: {
                ($0 as? PostgresError)?.code == .connectionLost
            }
        }
    }

    @Test func copyIsRefused() async throws {
        try await withConnection { connection in
            await #expect(throws: PostgresError.self) { try await connection.execute("COPY (SELECT 1) TO STDOUT") }
        }
    }

    private func insert(_ number: Int64) -> PostgresStatement {
        PostgresStatement("INSERT INTO t VALUES ($1)", [number])
    }

    private func isBusy(_ pid: Int32, _ watcher: PostgresConnection) async throws -> Bool {
        let rows = try await watcher.query(
            "SELECT state = 'active' AND query LIKE '%pg_sleep%' AS busy FROM pg_stat_activity WHERE pid = $1", [pid])
        return try rows[0].bool("busy")
    }
}
