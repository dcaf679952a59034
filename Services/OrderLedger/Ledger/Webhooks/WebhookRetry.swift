/// When a message that was not taken is sent again, and when no more. Pure: the caller has the clock.
public enum WebhookRetry {
    /// How long a message is tried, and how old a fact may be that is told at all.
    public static let life = Duration.seconds(3 * 86_400)
    /// How long a worker may take for one send. A message of a worker that died is sent again after it.
    public static let lease = Duration.seconds(60)
    /// How long messages that have ended are kept.
    public static let retention = Duration.seconds(30 * 86_400)
    /// After this time without a worker that knows its endpoint, a message does not wait any more.
    public static let absence = Duration.seconds(600)

    private static let shortest = Duration.seconds(5)
    private static let longest = Duration.seconds(900)

    /// The pause after failures in a row, of a message or of an endpoint: 5 s, twice as long each time, 15 minutes at
    /// most.
    public static func pause(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return failures > 8 ? longest : min(longest, shortest * (1 << (failures - 1)))
    }

    /// What becomes of a message after a send.
    public enum Verdict: Hashable, Sendable {
        case delivered
        /// Not taken: again after a pause.
        case retry(after: Duration)
        /// Not taken, for 3 days.
        case parked
        /// The worker was stopped meanwhile: not a try that counts.
        case released
    }

    /// How a send ended.
    public enum Result: Hashable, Sendable {
        case answered(status: Int)
        case failed
        case stopped
    }

    /// - Parameters:
    ///   - age: for how long the message has been tried.
    ///   - failures: how often before this send.
    public static func verdict(_ result: Result, age: Duration, failures: Int) -> Verdict {
        switch result {
        case .answered(200..<300): .delivered
        case .stopped: .released
        case .answered, .failed: age >= life ? .parked : .retry(after: pause(after: failures + 1))
        }
    }
}
