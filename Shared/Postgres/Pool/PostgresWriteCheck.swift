import OrchardServiceKit

/// Writes a row now and then and rolls it back, so that `/readyz` shows when the database accepts no writes: a standby,
/// a server set read-only, a full disk, or a right that is missing.
public struct PostgresWriteCheck: Service {
    private static let component = "postgres writes"
    private let pool: PostgresPool
    private let statement: PostgresStatement
    private let interval: Duration
    private let readiness: Readiness

    /// The end of a transaction that is not to be committed.
    private struct Undone: Error {}

    /// - Parameter statement: inserts a row that exists nowhere else; it is never committed.
    public init(
        _ statement: PostgresStatement, on pool: PostgresPool, every interval: Duration = .seconds(2),
        readiness: Readiness
    ) {
        self.statement = statement
        self.pool = pool
        self.interval = interval
        self.readiness = readiness
        readiness.begin(Self.component, reason: "nothing was written yet")
    }

    public func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            await check()
        }
    }

    /// Writes, rolls back, and reports.
    public func check() async {
        do {
            try await pool.withTransaction { connection in
                _ = try await connection.execute(statement.sql, statement.parameters)
                throw Undone()
            }
        } catch is Undone {
            readiness.set(Self.component, ready: true, reason: "the database takes writes")
        } catch let error as PostgresError where error.sqlState != nil {
            readiness.set(
                Self.component, ready: false,
                reason: "the database takes no writes: \(error.reason) (\(error.sqlState ?? ""))")
        } catch {
            guard !PostgresPool.shows(error) else { return }
            readiness.set(
                Self.component, ready: false, reason: "whether the database takes writes is not known: \(error)")
        }
    }
}
