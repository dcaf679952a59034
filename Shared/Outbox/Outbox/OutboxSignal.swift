import KafkaBridge
import OrchardServiceKit

/// Reports to the relays of this process which streams got events, without a query.
final class OutboxSignal: Sendable {
    private struct State {
        var nextID = 0
        var listeners: [Int: @Sendable (Set<TopicPartition>) -> Void] = [:]
    }

    private let state = Locked(State())

    /// Calls `listener`, which must be quick, at each wake-up.
    ///
    /// - Returns: a number for ``remove(_:)``.
    func add(_ listener: @escaping @Sendable (Set<TopicPartition>) -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = listener
            return state.nextID
        }
    }

    func remove(_ id: Int) {
        state.withLock { $0.listeners[id] = nil }
    }

    func wake(_ streams: Set<TopicPartition>) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(streams) }
    }
}
