import Contracts
import OrchardCrypto
import OrchardHTTPTypes
import OrchardServiceKit

/// What happened behind, in the order of its coming: the newest events, each with a number, and those who wait for
/// more.
final class BehindFeed: Sendable {
    /// How many events are kept.
    static let capacity = 5_000
    /// How many windows may wait at once.
    static let maximumListeners = 32
    /// The most events of one answer.
    static let batch = 200

    /// An event and its number, from 1.
    struct Numbered: Sendable {
        let number: Int
        let event: BehindEvent
    }

    private struct State {
        var events: [Numbered] = []
        var last = 0
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextListener = 0
        var lastSeen: ContinuousClock.Instant?
    }

    /// Names this run in event ids: numbers of another run mean nothing here.
    let run = Hex.encode(SecureRandom.bytes(4))
    private let state = Locked(State())

    /// Whether a window shows this now, or did a moment ago: it asks again after each answer.
    var isShown: Bool {
        state.withLock { state in
            !state.listeners.isEmpty || state.lastSeen.map { $0.duration(to: .now) < .seconds(5) } ?? false
        }
    }

    func append(_ events: [BehindEvent]) {
        guard !events.isEmpty else { return }
        let listeners = state.withLock { state in
            for event in events {
                state.last += 1
                state.events.append(Numbered(number: state.last, event: event))
            }
            state.events.removeFirst(max(0, state.events.count - Self.capacity))
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// The events behind a number, of one order or of all.
    func events(after number: Int, of order: OrderID?) -> [Numbered] {
        state.withLock { state in
            let start = state.events.partitioningIndex { $0.number > number }
            return Array(
                state.events[start...].lazy.filter { order == nil || $0.event.order == order }.prefix(Self.batch))
        }
    }

    /// The same, and waits a while for the first one.
    ///
    /// - Throws: 503 when too many wait already; `CancellationError`.
    func wait(after number: Int, of order: OrderID?, for time: Duration) async throws -> [Numbered] {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let listener: Int? = state.withLock { state in
            guard state.listeners.count < Self.maximumListeners else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let listener else {
            throw Problem(
                .serviceUnavailable, code: "too-many-listeners",
                detail: "close a window that shows what happens behind",
                fields: ["Retry-After": "5"])
        }
        defer {
            state.withLock { state in
                state.listeners[listener] = nil
                state.lastSeen = .now
            }
        }
        let ready = events(after: number, of: order)
        guard ready.isEmpty else { return ready }
        return try await withThrowingTaskGroup(of: [Numbered].self) { group in
            group.addTask {
                try await Task.sleep(for: time)
                return []
            }
            group.addTask {
                for await _ in signals {
                    let events = self.events(after: number, of: order)
                    if !events.isEmpty { return events }
                }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}

extension Array {
    /// The first index whose element fits; all behind it fit too.
    fileprivate func partitioningIndex(_ fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
