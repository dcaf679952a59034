import OrchardPostgres
import OrchardServiceKit
import TestSupport

/// Runs `body` with a pool that is running, and stops it afterwards.
@discardableResult
func withPool<Value: Sendable>(
    _ configuration: PostgresConfiguration, readiness: Readiness = Readiness(),
    _ body: @escaping @Sendable (PostgresPool) async throws -> Value
) async throws -> Value {
    let pool = PostgresPool(configuration, logger: Logger(label: "test"), readiness: readiness)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            try? await pool.run()
            return nil
        }
        group.addTask { try await body(pool) }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw CancellationError()
    }
}

/// A connection to a database of its own.
@discardableResult
func withConnection<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
    try await TestDatabase.with { database in
        let connection = try await PostgresConnection.connect(database.configuration)
        let value = try await body(connection)
        await connection.close()
        return value
    }
}
