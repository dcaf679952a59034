import OrchardPostgres
import OrchardServiceKit

/// Lets one process at a time fetch an account's files. It spares work; the rows' own locks prove that nothing is recorded
/// twice.
struct SettlementLock: Sendable {
    let postgres: PostgresConfiguration

    /// Runs `body` while the lock is held, on a connection of its own: no transaction is open meanwhile.
    ///
    /// - Returns: nil when another process holds it.
    func hold<Value: Sendable>(
        acquirer: String, account: String, _ body: () async throws -> Value
    ) async throws -> Value? {
        let connection = try await PostgresConnection.connect(postgres)
        do {
            let rows = try await connection.query(
                "SELECT pg_try_advisory_lock(hashtextextended('orchard.settlement.' || $1 || '/' || $2, 0)) AS locked",
                [acquirer, account])
            let value = try rows.first?.bool("locked") == true ? try await body() : nil
            // The server gives the lock free with the connection too, but some time later.
            _ = try await connection.query(
                "SELECT pg_advisory_unlock(hashtextextended('orchard.settlement.' || $1 || '/' || $2, 0)) AS unlocked "
                    + "WHERE $3", [acquirer, account, value != nil])
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
