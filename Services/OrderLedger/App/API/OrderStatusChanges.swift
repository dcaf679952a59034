import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Wakes long polls when the fold has changed their order, on any instance.
///
/// A waiting poll costs a few hundred bytes: no connection, no thread. Notifications are sent outside the fold's
/// transactions, one for all commits since the last: NOTIFY makes every commit of the server wait for the one before
/// it. A lost notification delays a poll of another instance by the longest silence at most.
final class OrderStatusChanges: Service {
    /// The channel on which instances publish which orders changed: the instance's name, and the ids joined by commas.
    static let channel = "orchard_ledger_orders"
    private struct State {
        var nextID = 0
        var waiting: [OrderID: [Int: WakeSignal]] = [:]
    }

    private let listener: PostgresListener
    private let database: PostgresPool
    private let waiting: Gauge
    private let longestSilence: Duration
    private let state = Locked(State())
    private let unsent = Locked<Set<OrderID>>([])
    private let wakeSignal = WakeSignal()
    /// Distinguishes this instance's own notifications from others'.
    private let name = String(UInt64.random(in: 0 ... .max), radix: 16)

    /// - Parameters:
    ///   - waiting: counts the polls that wait.
    ///   - longestSilence: the longest time before a waiting poll reads the status again: the instance that folded may
    ///     have died before it sent a notification.
    init(
        listener: PostgresListener, database: PostgresPool, waiting: Gauge, longestSilence: Duration = .seconds(5)
    ) {
        self.listener = listener
        self.database = database
        self.waiting = waiting
        self.longestSilence = longestSilence
    }

    /// Forwards notifications until the service stops.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            // Ends with the shutdown. The listener, which ends the stream, stops only later.
            group.addTask { [self] in
                try? await cancelWhenGracefulShutdown { [self] in
                    for await payload in listener.notifications(on: Self.channel) { receive(payload) }
                }
            }
            group.addTask { [self] in
                await withGracefulShutdownHandler {
                    for await _ in wakeSignal.wakeups { await notifyOthers() }
                } onGracefulShutdown: { [self] in
                    wakeSignal.finish()
                }
            }
        }
    }

    /// Wakes the polls of changed orders: here at once, and on the other instances by a notification.
    func publish(_ orders: [OrderID]) {
        guard !orders.isEmpty else { return }
        wake(orders)
        unsent.withLock { $0.formUnion(orders) }
        wakeSignal.wake()
    }

    private func notifyOthers() async {
        let orders = unsent.withLock { unsent in
            defer { unsent = [] }
            return unsent.sorted()
        }
        guard !orders.isEmpty else { return }
        // Nothing durable is written. The pool reports a failure, and polls read again by themselves.
        _ = try? await database.withConnection { connection in
            try await connection.query(
                """
                SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
                FROM unnest($2::text[]) AS payload
                """, [Self.channel, Self.payloads(for: orders).map { "\(name) \($0)" }])
        }
    }

    private func receive(_ payload: String) {
        // Empty after the connection was lost: any order may have changed.
        guard let space = payload.firstIndex(of: " ") else { return wake(nil) }
        guard payload[..<space] != name else { return }
        wake(payload[space...].dropFirst().split(separator: ",").compactMap { OrderID($0) })
    }

    /// Runs `body` with a stream that yields when `order` may have changed. It subscribes before `body` reads: no
    /// change is missed between reading and waiting. The stream ends when the process stops.
    func withChanges<Value>(
        of order: OrderID, _ body: (AsyncStream<Void>) async throws -> Value
    ) async throws -> Value {
        let signal = WakeSignal()
        let id = state.withLock { state in
            state.nextID += 1
            state.waiting[order, default: [:]][state.nextID] = signal
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
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [longestSilence] in
                // Polls that began together, as after a reconnect, do not read again together.
                while (try? await Task.sleep(for: longestSilence * .random(in: 0.7...1))) != nil {
                    signal.wake()
                }
            }
            defer { group.cancelAll() }
            return try await withGracefulShutdownHandler {
                try await body(signal.wakeups)
            } onGracefulShutdown: {
                signal.finish()
            }
        }
    }

    /// Wakes the polls of these orders, or all.
    private func wake(_ orders: [OrderID]?) {
        let signals = state.withLock { state in
            guard let orders else { return state.waiting.values.flatMap(\.values) }
            return orders.flatMap { state.waiting[$0].map { Array($0.values) } ?? [] }
        }
        for signal in signals { signal.wake() }
    }

    /// The payloads that list changed orders. PostgreSQL accepts 8000 bytes in each.
    static func payloads(for orders: [OrderID]) -> [String] {
        stride(from: 0, to: orders.count, by: 200).map { start in
            orders[start..<min(start + 200, orders.count)].map(\.description).joined(separator: ",")
        }
    }
}
