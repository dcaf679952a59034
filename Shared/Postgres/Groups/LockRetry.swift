/// How often and how long a lock that another transaction holds is tried again.
///
/// It is tried anew each time, instead of waiting in the database: another process may freeze with the locks of a hundred
/// orders, and each wait would keep a connection.
public struct LockRetry: Sendable {
    /// The longest wait. PostgreSQL ends the transaction of a frozen process sooner
    /// (`idle_in_transaction_session_timeout`).
    public static let limit = Duration.seconds(30)

    private let end = ContinuousClock.now + limit
    private let longestPause: Duration
    private var nextPause = Duration.milliseconds(4)

    /// - Parameter longestPause: each pause is twice as long as the one before, up to this.
    public init(longestPause: Duration) { self.longestPause = longestPause }

    /// Whether it has been tried for long enough.
    public var isOver: Bool { ContinuousClock.now >= end }

    /// Waits before the next try.
    ///
    /// - Throws: `CancellationError`.
    public mutating func pause() async throws {
        try await Task.sleep(for: nextPause)
        nextPause = min(nextPause * 2, longestPause)
    }
}

extension PostgresError {
    private static let lockNotAvailable = "55P03"

    /// Whether another transaction held a lock for as long as a statement may wait.
    var isLocked: Bool { sqlState == Self.lockNotAvailable }

    /// The error of a lock that was tried until ``LockRetry/isOver``.
    ///
    /// - Parameter what: what another transaction holds, with its article.
    public static func held(_ what: String) -> Self {
        Self(
            .server, "another transaction holds \(what) for longer than \(LockRetry.limit)", sqlState: lockNotAvailable)
    }
}
