/// Repeats work while its errors are transient, and reports in `/readyz` and the log when that lasts.
public struct Retry: Sendable {
    /// The name of the waiting part in `/readyz`.
    private let component: String
    private let policy: RetryPolicy
    private let readiness: Readiness
    private let logger: Logger

    public init(
        component: String, policy: RetryPolicy = RetryPolicy(), readiness: Readiness, logger: Logger
    ) {
        self.component = component
        self.policy = policy
        self.readiness = readiness
        self.logger = logger
    }

    /// Runs `body` until it succeeds or fails with an error that is not transient.
    ///
    /// - Parameter reason: the component's reason in `/readyz` after `body` has succeeded.
    /// - Throws: the first error that is not transient, which is also reported for the component; `CancellationError`.
    public func run<Value>(_ reason: String, _ body: () async throws -> Value) async throws -> Value {
        var state = RetryState(policy)
        while true {
            do {
                let value = try await body()
                readiness.set(component, ready: true, reason: reason)
                return value
            } catch {
                try Task.checkCancellation()
                let isTransient = RetryPolicy.isTransient(error)
                let isFirst = state.failingSince == nil
                let (pause, isReported) = state.failed(isTransient: isTransient, at: .now)
                if isReported { readiness.set(component, ready: false, reason: "waits: \(error)") }
                guard isTransient else { throw error }
                if isFirst { logger.notice("\(component) waits and tries again", ["error": "\(error)"]) }
                try await Task.sleep(for: pause)
            }
        }
    }
}
