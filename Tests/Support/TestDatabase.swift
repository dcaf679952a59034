import Foundation
import OrchardPostgres

/// A database for one test on the cluster of `Tests/Servers/run`.
public struct TestDatabase: Sendable {
    /// Connects as superuser.
    public let configuration: PostgresConfiguration
    /// The database's name.
    public let name: String
    private let server: PostgresConfiguration

    /// Runs `body` with a new, empty database and drops it afterwards.
    public static func with<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        let database = try TestDatabase()
        try await database.create()
        do {
            let value = try await body(database)
            try await database.drop()
            return value
        } catch {
            try? await database.drop()
            throw error
        }
    }

    /// A name that is unused on the cluster; ``create()`` makes the database.
    public init() throws {
        let server = try TestServers.postgres()
        name = "test_\(UInt64.random(in: 0 ... .max))"
        self.server = server
        configuration = Self.configuration(server, "dbname=\(name)")
    }

    public func create() async throws { try await onServer("CREATE DATABASE \(name)") }

    public func drop() async throws { try await onServer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

    /// Ends every other session, and waits until their processes are gone.
    public func endSessions() async throws {
        let connection = try await PostgresConnection.connect(configuration)
        let sessions = try await connection.query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).map { try $0.int32("pid") }
        // Repeated on a slow machine. A session that connects again meanwhile is not ended.
        try await eventually {
            try await connection.query(
                """
                SELECT pg_terminate_backend(pid, 5000) AS "isOver" FROM pg_stat_activity
                WHERE datname = current_database() AND pid = ANY($1::integer[])
                """, ["{\(sessions.map(String.init).joined(separator: ","))}"]
            ).allSatisfy { try $0.bool("isOver") }
        }
        await connection.close()
    }

    /// The same database for another role of the cluster.
    public func configuration(as role: String) -> PostgresConfiguration {
        Self.configuration(server, "dbname=\(name) user=\(role)")
    }

    private static func configuration(_ server: PostgresConfiguration, _ text: String) -> PostgresConfiguration {
        var configuration = server
        configuration.connectionString += " " + text
        return configuration
    }

    private func onServer(_ sql: String) async throws {
        let connection = try await PostgresConnection.connect(server)
        try await connection.execute(sql)
        await connection.close()
    }
}
