import Contracts
import OrchardServiceKit

/// Whether timers can be looked at and fired: an order whose timer cannot be fired waits by itself, is told in `/readyz`,
/// and holds up no other.
final class TimerStatus: Sendable {
    private struct State {
        var sweepRetries = RetryState()
        var sweepProblem: String?
        var orders: [OrderID: (retries: RetryState, reason: String?)] = [:]
    }

    private static let component = "timers"

    private let state = Locked(State())
    private let readiness: Readiness
    private let logger: Logger

    init(readiness: Readiness, logger: Logger) {
        self.readiness = readiness
        self.logger = logger
    }

    func sweepSucceeded() {
        let isNews = state.withLock { state in
            state.sweepRetries.succeeded()
            defer { state.sweepProblem = nil }
            return state.sweepProblem != nil
        }
        if isNews { report() }
    }

    func sweepFailed(_ error: any Error) {
        let isTold = state.withLock { state in
            let isTold = state.sweepRetries.failed(isTransient: RetryPolicy.isTransient(error), at: .now).isTold
            if isTold { state.sweepProblem = "what is due cannot be read: \(error)" }
            return isTold
        }
        if isTold { report() }
    }

    func fired(_ order: OrderID) {
        let wasTold = state.withLock { $0.orders.removeValue(forKey: order)?.reason != nil }
        if wasTold { report() }
    }

    /// - Returns: how long the order is left alone.
    func cannotFire(_ order: OrderID, _ error: any Error) -> Duration {
        let (pause, isTold) = state.withLock { state in
            var retries = state.orders[order]?.retries ?? RetryState()
            let (pause, isTold) = retries.failed(isTransient: RetryPolicy.isTransient(error), at: .now)
            state.orders[order] = (retries, isTold ? "\(error)" : nil)
            return (pause, isTold)
        }
        logger.warning("a timer waits: \(error)", ["order_id": order.description])
        if isTold { report() }
        return pause
    }

    private func report() {
        let (afterReload, told) = state.withLock { state in
            (
                state.sweepProblem,
                state.orders.compactMap { id, order in order.reason.map { (id, $0) } }.min { $0.0 < $1.0 }
            )
        }
        let count = state.withLock { $0.orders.values.count { $0.reason != nil } }
        if let afterReload { return readiness.set(Self.component, ready: false, reason: afterReload) }
        guard let told else { return readiness.set(Self.component, ready: true, reason: "fired in time") }
        readiness.set(
            Self.component, ready: false,
            reason: "\(count) orders wait and are tried again now and then, first \(told.0): \(told.1)")
    }
}
