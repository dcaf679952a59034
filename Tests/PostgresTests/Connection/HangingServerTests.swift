import Foundation
import OrchardPostgres
import OrchardServiceKit
import SandboxDatabase
import TestSupport
import Testing

/// A server that keeps its connections and answers nothing. Each test freezes a cluster of its own.
@Suite("A server that hangs", .timeLimit(.minutes(4)))
struct HangingServerTests {
    @Test func doesNotHoldATaskThatIsCancelled() async throws {
        try await withCluster { cluster, configuration in
            let connection = try await PostgresConnection.connect(configuration)
            let watcher = try await PostgresConnection.connect(configuration)
            let task = Task { try await connection.execute("SELECT pg_sleep(3600)") }
            // A task that is cancelled before it has asked the server leaves the connection open.
            try await eventually {
                try await !watcher.query(
                    "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(3600)'"
                ).isEmpty
            }
            cluster.freeze()
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? PostgresError)?.code == .connectionLost }
            #expect(!connection.isOpen)
        }
    }

    @Test func isAskedAgainWhenItReadTheStatementAfterTheRequestToCancelIt() async throws {
        try await TestDatabase.with { database in
            var configuration = database.configuration
            configuration.statementTimeout = nil
            let connection = try await PostgresConnection.connect(configuration)
            let process = try await connection.query("SELECT pg_backend_pid() AS pid")[0].int32("pid")
            kill(process, SIGSTOP)
            let task = Task { try await connection.execute("SELECT pg_sleep(3600)") }
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
            // The first request waits as a signal beside the statement, and the signal is first.
            try await Task.sleep(for: .milliseconds(300))
            kill(process, SIGCONT)
            await #expect { try await task.value } throws: { ($0 as? PostgresError)?.code == .cancelled }
            #expect(connection.isOpen)
            await connection.close()
        }
    }

    @Test func doesNotHoldATransactionThatIsGivenUp() async throws {
        struct TestError: Error {}
        try await withCluster { cluster, configuration in
            let connection = try await PostgresConnection.connect(configuration)
            await #expect(throws: TestError.self) {
                try await connection.transaction { connection in
                    try await connection.execute("SELECT 1")
                    cluster.freeze()
                    throw TestError()
                }
            }
            // The server undoes what its client does not commit.
            #expect(!connection.isOpen)
        }
    }

    @Test func isReportedByThePoolsReadinessAndItsReturnToo() async throws {
        try await withCluster { cluster, configuration in
            let readiness = Readiness()
            var configuration = configuration
            configuration.poolSize = 1
            try await withPool(configuration, readiness: readiness) { pool in
                // Also while every connection is in use.
                try await pool.withConnection { _ in
                    cluster.freeze()
                    try await eventually { readiness.report.components["postgres"]?.isReady == false }
                    #expect(readiness.report.components["postgres"]?.reason.contains("no connection within") == true)
                    cluster.thaw()
                    try await eventually { readiness.report.components["postgres"]?.isReady == true }
                }
            }
        }
    }

    private func withCluster(
        _ body: @Sendable (PrivateCluster, PostgresConfiguration) async throws -> Void
    ) async throws {
        let run = FileManager.default.temporaryDirectory.appending(path: "hang-\(UInt32.random(in: 0 ... .max))")
        let cluster = try await PrivateCluster.start(in: run)
        var configuration = PostgresConfiguration(connectionString: cluster.connectionString)
        // The server cannot come to the client's help.
        configuration.statementTimeout = nil
        var failure: (any Error)?
        do { try await body(cluster, configuration) } catch { failure = error }
        cluster.thaw()
        await cluster.stop()
        try? FileManager.default.removeItem(at: run)
        if let failure { throw failure }
    }
}
