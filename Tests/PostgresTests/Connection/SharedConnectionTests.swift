import Foundation
import TestSupport
import Testing

@testable import OrchardPostgres

/// Several tasks on one connection, and many connections in one process.
@Suite("A connection that tasks share", .timeLimit(.minutes(4)))
struct SharedConnectionTests {
    @Test func hasNoThreadOfItsOwn() async throws {
        // In a process without the threads of other tests.
        await #expect(processExitsWith: .success) {
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            let database = try TestServers.postgres()
            let watcher = try await PostgresConnection.connect(database)
            let before = try threads()
            var connections: [PostgresConnection] = []
            for _ in 0..<30 { connections.append(try await PostgresConnection.connect(database)) }
            let waits = connections.map { connection in
                Task { try await connection.execute("SELECT pg_sleep(3601)") }
            }
            let sleeping =
                "SELECT count(*) AS n FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3601)' AND state = 'active'"
            try await eventually { try await watcher.query(sleeping)[0].int("n") >= 30 }
            // Those that connected are ending.
            try await eventually { try threads() < before + 10 }
            for wait in waits { wait.cancel() }
            for wait in waits { _ = await wait.result }
            for connection in connections + [watcher] { await connection.close() }
        }
    }

    @Test func doesWholePipelinesOneAfterTheOther() async throws {
        try await withConnection { connection in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for round in 0..<20 {
                            let mine = "\(task).\(round)"
                            let results = try await connection.pipeline(
                                (0..<3).map {
                                    PostgresStatement("SELECT $1 || '.' || $2 AS t, pg_sleep(0.0005)", [mine, "\($0)"])
                                })
                            for (number, result) in results.enumerated() {
                                #expect(try result.rows[0].string("t") == "\(mine).\(number)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func doesNotSendTheStatementOfATaskThatIsCancelledWhileAnotherHasTheTurn() async throws {
        try await TestDatabase.with { database in
            let holder = try await PostgresConnection.connect(database.configuration)
            let connection = try await PostgresConnection.connect(database.configuration)
            let observer = try await PostgresConnection.connect(database.configuration)
            try await holder.script("CREATE TABLE t (a bigint)")
            try await holder.execute("SELECT pg_advisory_lock(1)")
            let first = Task { try await connection.query("SELECT 7 AS n, pg_advisory_lock(1)")[0].int("n") }
            try await waitsForLock(observer)
            let late = Task { try await connection.execute("INSERT INTO t VALUES (1)") }
            try await eventually { connection.turn.length == 1 }
            late.cancel()
            // It ends at once, not after the statement before it, and cancels nothing of another's.
            await #expect { try await late.value } throws: { ($0 as? PostgresError)?.code == .cancelled }
            try await holder.execute("SELECT pg_advisory_unlock(1)")
            #expect(try await first.value == 7)
            #expect(try await connection.query("SELECT count(*) AS n FROM t")[0].int("n") == 0)
        }
    }

    @Test func closesAfterTheExchangeThatIsUnderWay() async throws {
        try await TestDatabase.with { database in
            let holder = try await PostgresConnection.connect(database.configuration)
            let connection = try await PostgresConnection.connect(database.configuration)
            let observer = try await PostgresConnection.connect(database.configuration)
            try await holder.execute("SELECT pg_advisory_lock(2)")
            let work = Task { try await connection.query("SELECT 7 AS n, pg_advisory_lock(2)")[0].int("n") }
            try await waitsForLock(observer)
            let end = Task { await connection.close() }
            try await eventually { connection.turn.length == 1 }
            let late = Task { try await connection.execute("SELECT 1") }
            try await eventually { connection.turn.length == 2 }
            #expect(connection.isOpen)
            try await holder.execute("SELECT pg_advisory_unlock(2)")
            #expect(try await work.value == 7)
            await end.value
            await #expect { try await late.value } throws: { ($0 as? PostgresError)?.code == .connectionLost }
            #expect(!connection.isOpen)
        }
    }

    /// Returns when a session of the database waits for an advisory lock.
    private func waitsForLock(_ observer: PostgresConnection) async throws {
        let sql = """
            SELECT count(*) AS n FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
            """
        try await eventually { try await observer.query(sql)[0].int("n") == 1 }
    }
}
