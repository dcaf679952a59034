import CCurl
import OrchardServiceKit

/// What tasks send to the client's thread: requests, cancellations, and the order to end.
final class ClientMailbox: Sendable {
    struct Submission: Sendable {
        let id: UInt64
        let request: HTTPClientRequest
        let continuation: CheckedContinuation<HTTPOutcome, Never>
    }

    struct Contents: Sendable {
        var submissions: [Submission] = []
        var cancelled: [UInt64] = []
        /// Accept no more; end when the current requests are done.
        var finishes = false
        /// End at once.
        var aborts = false

        var isEmpty: Bool { submissions.isEmpty && cancelled.isEmpty && !finishes && !aborts }
    }

    private enum Phase { case open, finishing, closed }

    private struct State {
        var phase = Phase.open
        var contents = Contents()
        var nextID: UInt64 = 0
        /// Submitted and not yet done.
        var live: Set<UInt64> = []
        /// Cancelled before they were submitted.
        var cancelledEarly: Set<UInt64> = []
        /// Wakes the loop; nil when it does not run.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    func makeID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Hands a request over.
    ///
    /// - Returns: why it is refused; nil when it is accepted.
    func submit(_ submission: Submission) -> HTTPFailure? {
        state.withLock { state in
            if state.cancelledEarly.remove(submission.id) != nil {
                return HTTPFailure(.cancelled, "the task was cancelled before the request was sent")
            }
            guard state.phase == .open else { return HTTPFailure(.stopped, "the HTTP client has ended") }
            state.live.insert(submission.id)
            Self.change(&state) { $0.submissions.append(submission) }
            return nil
        }
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard state.live.contains(id) else {
                state.cancelledEarly.insert(id)
                return
            }
            Self.change(&state) { $0.cancelled.append(id) }
        }
    }

    /// No outcome of this request will follow.
    func forget(_ id: UInt64) {
        state.withLock { state in
            state.live.remove(id)
            state.cancelledEarly.remove(id)
        }
    }

    func finish() {
        state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            Self.change(&state) { $0.finishes = true }
        }
    }

    func abort() {
        state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            Self.change(&state) { $0.aborts = true }
        }
    }

    /// The loop runs from now on and is woken so. `wake` is called with the lock held, so never after ``close()``.
    func open(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func drain() -> Contents {
        state.withLock { state in
            defer { state.contents = Contents() }
            return state.contents
        }
    }

    /// The loop has ended.
    ///
    /// - Returns: the requests that it did not start.
    func close() -> Contents {
        state.withLock { state in
            state.phase = .closed
            state.wake = nil
            defer { state.contents = Contents() }
            return state.contents
        }
    }

    private static func change(_ state: inout State, _ change: (inout Contents) -> Void) {
        let wasEmpty = state.contents.isEmpty
        change(&state.contents)
        if wasEmpty { state.wake?() }
    }
}
