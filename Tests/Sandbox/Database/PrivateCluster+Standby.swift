import Foundation
import OrchardPostgres
import OrchardServiceKit
import SandboxProcesses

/// Failover, standby and copies of a cluster.
extension PrivateCluster {
    /// Ends like a crashed machine: at once. Everything that its standby has not received is lost.
    public func crash() { server.signal(SIGQUIT) }

    /// Starts a server that has crashed again, on what it had written. Returns when it answers.
    public func restart() async throws {
        await server.ended()
        let next = try serve()
        process.withLock { $0 = next }
        try await waitUntilReady()
    }

    /// Cuts off a standby: it receives no later commits of its primary.
    public func cutOff() async throws {
        try await superuser { connection in
            try await connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            try await connection.execute("SELECT pg_reload_conf()")
            while try await connection.query("SELECT 1 FROM pg_stat_wal_receiver").isEmpty == false {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Waits until a standby has everything that its primary has committed so far.
    public func catchUp(with primary: PrivateCluster) async throws {
        let end = try await primary.superuser { connection in
            try await connection.query("SELECT pg_current_wal_flush_lsn()::text AS place")[0].string("place")
        }
        try await superuser { connection in
            while try await connection.query(
                "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn AS there", [end])[0].bool("there") == false
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Makes a standby the primary: a new timeline of the same system.
    public func promote() async throws {
        try await superuser { try await $0.execute("SELECT pg_promote(true, 60)") }
    }

    /// Writes a database's contents to a file, as `pg_dump` does.
    public static func dump(_ connectionString: String, to file: URL) async throws {
        try await run(\.dump, ["--dbname", connectionString, "--file", file.path])
    }

    /// Fills an empty database from such a file.
    public static func restore(_ file: URL, to connectionString: String) async throws {
        try await run(
            \.psql,
            ["--dbname", connectionString, "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "--file", file.path])
    }

    private static func run(_ program: KeyPath<PostgresPrograms, URL>, _ arguments: [String]) async throws {
        let programs = try PostgresPrograms(environment: ProcessInfo.processInfo.environment)
        let run = try await ProgramRun.outside(programs[keyPath: program].path, arguments)
        guard run.status == 0 else {
            throw DatabaseServerError("\(arguments[0]) ended with \(run.status):\n\(run.output)")
        }
    }

    @discardableResult
    private func superuser<Value: Sendable>(
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: connectionString, statementTimeout: .seconds(90)))
        let value = try await body(connection)
        await connection.close()
        return value
    }
}
