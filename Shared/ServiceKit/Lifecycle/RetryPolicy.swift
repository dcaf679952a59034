/// When failed work is tried again, and when `/readyz` reports the failure: one policy for all loops.
///
/// After a transient error the work is tried again soon, and the error is reported when it lasts. An error that only an
/// operator can fix is reported at once. The work is still tried again from time to time, so that no restart is needed
/// after the fix.
public struct RetryPolicy: Sendable {
    /// The pause after the first transient error; doubled after each further one.
    public var firstPause = Duration.milliseconds(100)
    /// The longest pause between attempts while errors are transient.
    public var longestPause = Duration.seconds(5)
    /// The pause after the first error that is not transient; doubled after each further one.
    public var firstPermanentPause = Duration.seconds(1)
    /// The longest pause between attempts while errors are not transient.
    public var longestPermanentPause = Duration.seconds(30)
    /// How long transient errors may last before they are reported.
    public var reportAfter = Duration.seconds(2)

    public init() {}

    /// Whether an error goes away without a change; false for one that does not state it.
    public static func isTransient(_ error: any Error) -> Bool {
        (error as? any TransientError)?.isTransient ?? false
    }
}

/// The failed attempts of one piece of work; pure.
public struct RetryState: Sendable {
    private let policy: RetryPolicy
    private var pause: Duration?
    private var wasTransient = true
    /// When the first attempt of the current series of failures failed.
    public private(set) var failingSince: ContinuousClock.Instant?

    public init(_ policy: RetryPolicy = RetryPolicy()) { self.policy = policy }

    /// An attempt failed.
    ///
    /// - Returns: how long to pause before the next attempt, and whether the failure must be reported now.
    public mutating func failed(
        isTransient: Bool, at now: ContinuousClock.Instant
    ) -> (pause: Duration, isReported: Bool) {
        if isTransient != wasTransient { pause = nil }
        wasTransient = isTransient
        let since = failingSince ?? now
        failingSince = since
        let (first, longest) =
            isTransient
            ? (policy.firstPause, policy.longestPause) : (policy.firstPermanentPause, policy.longestPermanentPause)
        let pause = min(pause.map { $0 * 2 } ?? first, longest)
        self.pause = pause
        return (pause, !isTransient || now - since >= policy.reportAfter)
    }

    /// How long it has been failing, the next pause included.
    public func failing(at now: ContinuousClock.Instant, then pause: Duration) -> Duration {
        failingSince.map { now - $0 + pause } ?? .zero
    }

    /// An attempt succeeded: the next failure is a first one again.
    public mutating func succeeded() { self = RetryState(policy) }
}

extension Duration {
    /// A random part of the pause between a half and the whole, so that many processes do not try again at the same
    /// time.
    public func spread(using generator: inout some RandomNumberGenerator) -> Duration {
        self * Double.random(in: 0.5...1, using: &generator)
    }
}

/// An error that states whether it goes away without a change.
///
/// The errors of Kafka, of PostgreSQL and of the services' own waits adopt it, so that "try again" means the same in
/// every loop (``RetryPolicy``).
public protocol TransientError: Error {
    /// Whether the same work may succeed later without any change. False: an operator must act first.
    var isTransient: Bool { get }
}
