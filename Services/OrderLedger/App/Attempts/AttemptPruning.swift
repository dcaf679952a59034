import OrchardPostgres
import OrchardServiceKit

/// Deletes attempts after 30 days, the retention of their topic.
struct AttemptPruning: Service {
    let database: PostgresPool
    var interval = Duration.seconds(600)
    let logger: Logger

    /// The most rows that one transaction deletes.
    static let portion = 10_000

    func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            do { try await prune() } catch {
                guard !Task.isCancelled else { return }
                logger.warning("attempts older than 30 days cannot be deleted, will try again: \(error)")
            }
        }
    }

    /// Deletes attempts older than 30 days. Several instances may do so at once.
    func prune() async throws {
        var removed = Self.portion
        while removed == Self.portion {
            removed = try await database.withConnection { connection in
                let rows = try await connection.query("SELECT ledger.prune_attempts() AS removed")
                return try rows.first?.int("removed") ?? 0
            }
        }
    }
}
