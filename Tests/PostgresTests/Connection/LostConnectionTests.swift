import OrchardPostgres
import TestSupport
import Testing

/// What the server says when it ends a session must reach whoever reads the log.
@Suite("A lost connection", .timeLimit(.minutes(4)))
struct LostConnectionTests {
    enum Call: CaseIterable { case pipeline, script }

    @Test(arguments: Call.allCases)
    func tellsThatItsTransactionWasIdleForTooLong(_ call: Call) async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.idleInTransactionTimeout = .milliseconds(100)
            let connection = try await PostgresConnection.connect(configuration)
            await #expect {
                try await connection.transaction { connection in
                    try await end(of: connection, in: database) { _, _ in }
                    try await perform(call, on: connection)
                }
            } throws: { error in
                let error = error as? PostgresError
                return error?.code == .connectionLost && error?.reason.contains("idle-in-transaction timeout") == true
            }
        }
    }

    /// In a process that is slow to read, the message comes together with the last result.
    @Test func tellsWhatCameTogetherWithTheLastResult() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.idleInTransactionTimeout = .milliseconds(1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask { [configuration] in
                        for _ in 0..<20 {
                            let connection = try await PostgresConnection.connect(configuration)
                            await #expect {
                                try await connection.transaction { connection in
                                    try await connection.execute("SELECT 1")
                                    try await Task.sleep(for: .milliseconds(50))
                                    try await perform(.pipeline, on: connection)
                                }
                            } throws: { error in
                                "\(error)".contains("idle-in-transaction timeout")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: Call.allCases)
    func tellsThatAnAdministratorEndedItWhileNothingRan(_ call: Call) async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            try await end(of: connection, in: database) { other, session in
                try await other.execute("SELECT pg_terminate_backend($1)", [session])
            }
            await #expect {
                try await perform(call, on: connection)
            } throws: { error in
                let error = error as? PostgresError
                return error?.code == .connectionLost && error?.reason.contains("administrator command") == true
            }
        }
    }

    @Test func tellsThatAnAdministratorEndedItsScript() async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            await #expect {
                try await connection.script("SELECT 1; SELECT pg_terminate_backend(pg_backend_pid()); SELECT 2")
            } throws: { error in
                let error = error as? PostgresError
                return error?.code == .connectionLost && error?.reason.contains("administrator command") == true
            }
        }
    }

    private func perform(_ call: Call, on connection: PostgresConnection) async throws {
        switch call {
        case .pipeline: try await connection.execute("SELECT 1")
        case .script: try await connection.script("SELECT 1")
        }
    }

    /// Returns when the server has ended the connection's session.
    private func end(
        of connection: PostgresConnection, in database: TestDatabase,
        _ cause: (_ other: PostgresConnection, _ session: Int32) async throws -> Void
    ) async throws {
        let other = try await PostgresConnection.connect(database.configuration)
        let session = try await connection.query("SELECT pg_backend_pid() AS pid")[0].int32("pid")
        try await cause(other, session)
        let alive = "SELECT count(*) AS n FROM pg_stat_activity WHERE pid = $1"
        try await eventually { try await other.query(alive, [session])[0].int("n") == 0 }
    }
}
