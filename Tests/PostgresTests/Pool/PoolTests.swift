import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardPostgres

@Suite("A pool", .timeLimit(.minutes(4)))
struct PoolTests {
    private struct TestError: Error {}

    @Test func waitsForTheDatabaseInsteadOfFailing() async throws {
        let database = try TestDatabase()
        let readiness = Readiness()
        var configuration = database.configuration
        configuration.acquireTimeout = .seconds(60)
        try await withPool(configuration, readiness: readiness) { pool in
            async let answer = pool.withConnection { try await $0.query("SELECT 7 AS n")[0].int("n") }
            try await eventually { readiness.report.components["postgres"]?.reason.contains("does not exist") == true }
            #expect(!readiness.report.isReady)
            try await database.create()
            #expect(try await answer == 7)
            #expect(readiness.report.isReady)
        }
        try await database.drop()
    }

    @Test("Who got a connection finds the pool ready, whatever another slot met before")
    func isReadyWithTheFirstConnection() async throws {
        try await TestDatabase.with { database in
            let readiness = Readiness()
            let pool = PostgresPool(database.configuration, logger: Logger(label: "test"), readiness: readiness)
            let connection = try await PostgresConnection.connect(database.configuration)
            pool.missed(PostgresError(.connectionFailed, "no such database"))
            #expect(!readiness.report.isReady)
            _ = pool.join(0, connection)
            #expect(readiness.report.isReady)
            pool.missed(PostgresError(.connectionFailed, "no such database"))
            #expect(readiness.report.isReady)
            await connection.close()
        }
    }

    @Test func replacesConnectionsThatTheServerEnded() async throws {
        try await TestDatabase.with { database in
            try await withPool(database.configuration) { pool in
                let first = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                try await database.endSessions()
                // The caller does not notice: what was closed meanwhile is found before it is lent.
                let second = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                #expect(first != second)
            }
        }
    }

    @Test func neverLendsAConnectionWithAnOpenTransaction() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.poolSize = 1
            try await withPool(configuration) { pool in
                try await pool.withConnection { try await $0.script("BEGIN; CREATE TABLE leaked (a bigint)") }
                let isClean = try await pool.withConnection {
                    try await $0.query("SELECT to_regclass('leaked') IS NULL AS clean")[0].bool("clean")
                }
                #expect(isClean)
            }
        }
    }

    @Test func lendsTheConnectionAgainAfterACancelledTransaction() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.poolSize = 1
            try await withPool(configuration) { pool in
                let pid = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                let (started, signal) = AsyncStream<Void>.makeStream()
                let task = Task {
                    try await pool.withTransaction { connection in
                        try await connection.execute("SELECT 1")
                        signal.yield()
                        try await connection.execute("SELECT pg_sleep(3600)")
                    }
                }
                for await _ in started { break }
                task.cancel()
                await #expect(throws: PostgresError.self) { try await task.value }
                let again = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                #expect(again == pid)
            }
        }
    }

    @Test func refusesWhenNoConnectionIsFreeInTime() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.poolSize = 1
            configuration.acquireTimeout = .seconds(2)
            try await withPool(configuration) { pool in
                try await eventually { (try? await pool.withConnection { _ in true }) ?? false }
                try await pool.withConnection { _ in
                    await #expect { try await pool.withConnection { _ in } } throws: {
                        ($0 as? PostgresError)?.code == .poolExhausted
                    }
                }
                try await pool.withConnection { _ in }
            }
        }
    }

    @Test func letsAWaiterGoWhenItsTaskIsCancelled() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.poolSize = 1
            configuration.acquireTimeout = .seconds(3600)
            try await withPool(configuration) { pool in
                try await pool.withConnection { _ in
                    let waiter = Task { try await pool.withConnection { _ in } }
                    waiter.cancel()
                    await #expect { try await waiter.value } throws: { ($0 as? PostgresError)?.code == .cancelled }
                }
                try await pool.withConnection { _ in }
            }
        }
    }

    @Test func replacesOldConnections() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.poolSize = 1
            configuration.maximumLifetime = .zero
            try await withPool(configuration) { pool in
                let first = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                let second = try await pool.withConnection {
                    try await $0.query("SELECT pg_backend_pid() AS p")[0].int("p")
                }
                #expect(first != second)
            }
        }
    }

    @Test func finishesWhatIsLentBeforeItStops() async throws {
        try await TestDatabase.with { database in
            let pool = PostgresPool(database.configuration, logger: Logger(label: "test"), readiness: Readiness())
            let shutdown = GracefulShutdown()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await pool.run() } }
                group.addTask {
                    try await pool.withTransaction { connection in
                        try await connection.execute("CREATE TABLE t (a bigint)")
                        shutdown.begin()
                        await #expect { try await pool.withConnection { _ in } } throws: {
                            ($0 as? PostgresError)?.code == .poolClosed
                        }
                        try await connection.execute("INSERT INTO t VALUES (1)")
                    }
                }
                try await group.waitForAll()
            }
            let connection = try await PostgresConnection.connect(database.configuration)
            #expect(try await connection.query("SELECT count(*) AS n FROM t")[0].int("n") == 1)
        }
    }

    @Test func servesManyCallersWithFewConnections() async throws {
        try await TestDatabase.with { database in
            // 200 transactions of one row, on a machine that may be slow.
            var configuration = database.configuration
            configuration.acquireTimeout = .seconds(120)
            try await withPool(configuration) { pool in
                try await pool.withConnection {
                    try await $0.script("CREATE TABLE t (a bigint); INSERT INTO t VALUES (0)")
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask {
                            try await pool.withTransaction { connection in
                                let a = try await connection.query("SELECT a FROM t FOR UPDATE")[0].int64("a")
                                try await connection.execute("UPDATE t SET a = $1", [a + 1])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await pool.withConnection { try await $0.query("SELECT a FROM t")[0].int("a") } == 200)
            }
        }
    }
}
