import CEpoll
import Foundation
import OrchardServiceKit

/// Wakes waiting tasks when their sockets are ready: one thread for all connections of the process.
///
/// A socket is watched for one wait at a time, and only once for each (level-triggered): an event after the end of a
/// wait wakes the next one too early, which costs one check of the socket.
final class SocketPoller: Sendable {
    /// Names a socket here; never used twice, as descriptors are.
    typealias Token = UInt64

    /// What ended a wait.
    enum Wakeup: Sendable {
        case ready, deadline, cancelled
        /// The kernel does not watch the socket.
        case failed
    }

    private struct Wait {
        let number: UInt64
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Wakeup, Never>
    }

    private struct State {
        var lastToken: Token = 0
        var lastWait: UInt64 = 0
        var waits: [Token: Wait] = [:]
        /// When the thread checks for waits that are late.
        var nextCheck: ContinuousClock.Instant?
    }

    private static let instance = Locked<SocketPoller?>(nil)

    private let epoll: Int32
    /// Readable when the thread is to read ``State/nextCheck`` anew; its token is 0.
    private let alarm: Int32
    private let state = Locked(State())

    /// The poller of the process, made when it is first needed. It exists as long as the process.
    static func shared() throws(PostgresError) -> SocketPoller {
        try instance.withLock { instance throws(PostgresError) in
            if let instance { return instance }
            let poller = try SocketPoller()
            instance = poller
            let thread = Thread { poller.run() }
            thread.name = "postgres"
            thread.start()
            return poller
        }
    }

    private init() throws(PostgresError) {
        epoll = orchard_epoll_create()
        alarm = orchard_eventfd()
        guard epoll >= 0, alarm >= 0, Self.control(EPOLL_CTL_ADD, epoll, alarm, 0, orchard_epoll_in) else {
            let reason = String(cString: strerror(errno))
            if epoll >= 0 { close(epoll) }
            if alarm >= 0 { close(alarm) }
            throw PostgresError(.connectionFailed, "epoll: \(reason); raise the limit of open files")
        }
    }

    /// Adds a socket. Call ``remove(_:_:)`` before it is closed.
    func add(_ socket: Int32) throws(PostgresError) -> Token {
        let token = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        guard Self.control(EPOLL_CTL_ADD, epoll, socket, token, orchard_epoll_once) else {
            throw PostgresError(.connectionFailed, "epoll: \(String(cString: strerror(errno)))")
        }
        return token
    }

    /// Removes a socket that no task waits for. A negative one is closed and removed already.
    func remove(_ socket: Int32, _ token: Token) {
        if socket >= 0 { _ = Self.control(EPOLL_CTL_DEL, epoll, socket, token, 0) }
    }

    /// Waits until the socket can be read or, on request, written. One task at a time waits for a socket.
    ///
    /// - Parameter isCancellable: whether the wait ends when the task is cancelled.
    func wait(
        for socket: Int32, _ token: Token, orWritable: Bool, until deadline: ContinuousClock.Instant?,
        isCancellable: Bool, isolation: isolated (any Actor)? = #isolation
    ) async -> Wakeup {
        let events = orchard_epoll_in | orchard_epoll_once | (orWritable ? orchard_epoll_out : 0)
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        guard isCancellable else {
            return await withCheckedContinuation { continuation in
                begin(
                    Wait(number: number, deadline: deadline, continuation: continuation), socket, token, events)
            }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(
                    Wait(number: number, deadline: deadline, continuation: continuation), socket, token, events)
                // A cancellation before the wait was known found nothing to end.
                if Task.isCancelled { finish(token, number, .cancelled) }
            }
        } onCancel: {
            finish(token, number, .cancelled)
        }
    }

    private func begin(_ wait: Wait, _ socket: Int32, _ token: Token, _ events: UInt32) {
        let isEarlier = state.withLock { state in
            precondition(state.waits[token] == nil, "two tasks wait for one socket")
            state.waits[token] = wait
            guard let deadline = wait.deadline, state.nextCheck.map({ deadline < $0 }) ?? true else { return false }
            state.nextCheck = deadline
            return true
        }
        if isEarlier { eventfd_write(alarm, 1) }
        if !Self.control(EPOLL_CTL_MOD, epoll, socket, token, events) { finish(token, wait.number, .failed) }
    }

    /// Ends a wait, unless it has ended.
    private func finish(_ token: Token, _ number: UInt64?, _ wakeup: Wakeup) {
        let wait = state.withLock { state -> Wait? in
            guard let wait = state.waits[token], number == nil || wait.number == number else { return nil }
            return state.waits.removeValue(forKey: token)
        }
        wait?.continuation.resume(returning: wakeup)
    }

    // MARK: The thread

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), longestWait)
            for event in events.prefix(max(0, Int(count))) {
                guard event.data.u64 == 0 else {
                    finish(event.data.u64, nil, .ready)
                    continue
                }
                var alarms: eventfd_t = 0
                eventfd_read(alarm, &alarms)
            }
            endLateWaits()
        }
    }

    /// Milliseconds until the next check; negative: for ever.
    private var longestWait: Int32 {
        guard let look = state.withLock({ $0.nextCheck }) else { return -1 }
        return max(0, Int32(clamping: (look - .now).milliseconds + 1))
    }

    /// The next check may be earlier than the next deadline, never later: most waits end long before theirs.
    private func endLateWaits() {
        let late = state.withLock { state -> [Wait] in
            let now = ContinuousClock.now
            guard let look = state.nextCheck, look <= now else { return [] }
            let late = state.waits.filter { $0.value.deadline.map { $0 <= now } ?? false }
            for token in late.keys { state.waits[token] = nil }
            state.nextCheck = state.waits.values.compactMap(\.deadline).min()
            return Array(late.values)
        }
        for wait in late { wait.continuation.resume(returning: .deadline) }
    }

    private static func control(
        _ operation: Int32, _ epoll: Int32, _ descriptor: Int32, _ token: Token, _ events: UInt32
    ) -> Bool {
        var event = epoll_event()
        event.data.u64 = token
        event.events = events
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}
