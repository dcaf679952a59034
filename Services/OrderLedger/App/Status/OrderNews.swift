import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Wakes long polls when the fold has news of their order, on whichever instance it ran.
///
/// A waiting poll costs a few hundred bytes: no connection, no thread.
final class OrderNews: Service {
    /// The channel on which the projection tells which orders changed: ids joined by commas; empty means "any".
    static let channel = "orchard_ledger_orders"

    private struct State {
        var nextID = 0
        var waiting: [OrderID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    private let listener: PostgresListener
    private let waiting: Gauge
    private let state = Locked(State())

    /// - Parameter waiting: counts the polls that wait.
    init(listener: PostgresListener, waiting: Gauge) {
        self.listener = listener
        self.waiting = waiting
    }

    /// Passes notifications on until the service stops.
    func run() async throws {
        // Ends with the shutdown: the listener, which ends the stream, is stopped only later.
        try? await cancelWhenGracefulShutdown { [self] in
            for await payload in listener.notifications(on: Self.channel) {
                wake(payload.isEmpty ? nil : payload.split(separator: ",").compactMap { OrderID($0) })
            }
        }
    }

    /// Runs `body` with a stream that yields when there may be news of `order`: subscribed before `body` looks, so
    /// that nothing is missed between looking and waiting. The stream ends when the process stops.
    func withNews<Value>(
        of order: OrderID, _ body: (AsyncStream<Void>) async throws -> Value
    ) async rethrows -> Value {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.waiting[order, default: [:]][state.nextID] = continuation
            return state.nextID
        }
        waiting.increment()
        defer {
            waiting.decrement()
            state.withLock { state in
                state.waiting[order]?[id] = nil
                if state.waiting[order]?.isEmpty == true { state.waiting[order] = nil }
            }
        }
        return try await withGracefulShutdownHandler {
            try await body(stream)
        } onGracefulShutdown: {
            continuation.finish()
        }
    }

    /// Wakes the polls of these orders, or all.
    private func wake(_ orders: [OrderID]?) {
        let continuations = state.withLock { state in
            guard let orders else { return state.waiting.values.flatMap(\.values) }
            return orders.flatMap { state.waiting[$0].map { Array($0.values) } ?? [] }
        }
        for continuation in continuations { continuation.yield() }
    }

    /// The payloads that tell of changed orders; PostgreSQL takes 8000 bytes each.
    static func payloads(for orders: [OrderID]) -> [String] {
        stride(from: 0, to: orders.count, by: 200).map { start in
            orders[start..<min(start + 200, orders.count)].map(\.description).joined(separator: ",")
        }
    }
}
