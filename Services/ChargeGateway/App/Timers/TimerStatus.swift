import Contracts
import OrchardServiceKit

/// Whether timers can be read and executed. An order whose timer fails waits alone and is reported in `/readyz`.
final class TimerStatus: Sendable {
    private struct State {
        var sweepRetries = RetryState()
        var sweepProblem: String?
        var orders: [OrderID: (retries: RetryState, reason: String?)] = [:]

        /// Why timers do not fire; nil when they do.
        var problem: String? {
            if let sweepProblem { return sweepProblem }
            let reported = orders.compactMap { id, order in order.reason.map { (order: id, reason: $0) } }
            guard let first = reported.min(by: { $0.order < $1.order }) else { return nil }
            return
                "\(reported.count) orders wait and are tried again now and then, first \(first.order): \(first.reason)"
        }
    }

    private static let component = "timers"

    private let state = Locked(State())
    private let readiness: Readiness
    private let logger: Logger

    init(readiness: Readiness, logger: Logger) {
        self.readiness = readiness
        self.logger = logger
    }

    /// - Parameters:
    ///   - damaged: orders whose rows the sweep could not read.
    ///   - isWaiting: whether an order is still due or in hand; others were stepped elsewhere.
    func sweepSucceeded(
        damaged: [(order: OrderID, reason: any Error)] = [], isWaiting: (OrderID) -> Bool
    ) {
        let problem = damaged.min { $0.order < $1.order }.map { first in
            "the rows of \(damaged.count) due orders are damaged and wait for a person, first \(first.order): \(first.reason)"
        }
        let isChange = state.withLock { state in
            state.sweepRetries.succeeded()
            let reported = state.orders.values.count { $0.reason != nil }
            state.orders = state.orders.filter { isWaiting($0.key) }
            defer { state.sweepProblem = problem }
            return state.sweepProblem != problem || state.orders.values.count { $0.reason != nil } != reported
        }
        guard isChange else { return }
        if let problem { logger.error("timers wait: \(problem)") }
        report()
    }

    func sweepFailed(_ error: any Error) {
        let isReported = state.withLock { state in
            let isReported = state.sweepRetries.failed(isTransient: RetryPolicy.isTransient(error), at: .now).isReported
            if isReported { state.sweepProblem = "what is due cannot be read: \(error)" }
            return isReported
        }
        if isReported { report() }
    }

    func fired(_ order: OrderID) {
        let wasReported = state.withLock { $0.orders.removeValue(forKey: order)?.reason != nil }
        if wasReported { report() }
    }

    /// - Returns: how long the order is left alone.
    func cannotFire(_ order: OrderID, _ error: any Error) -> Duration {
        let (pause, isReported) = state.withLock { state in
            var retries = state.orders[order]?.retries ?? RetryState()
            let (pause, isReported) = retries.failed(isTransient: RetryPolicy.isTransient(error), at: .now)
            state.orders[order] = (retries, isReported ? "\(error)" : nil)
            return (pause, isReported)
        }
        logger.warning("a timer waits: \(error)", ["order_id": order.description])
        if isReported { report() }
        return pause
    }

    /// Under the lock: of two reports at once the older must not be the last.
    private func report() {
        state.withLock { state in
            readiness.set(Self.component, ready: state.problem == nil, reason: state.problem ?? "fired in time")
        }
    }
}
