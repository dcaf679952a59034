import OrchardServiceKit

/// Wakes the one task that drains a queue. A signal that comes while no task waits is kept.
final class QueueSignal: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.idle)

    /// May be called from any thread, also from librdkafka's.
    func signal() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .waiting(let continuation) = state {
                state = .idle
                return continuation
            }
            state = .signalled
            return nil
        }
        waiting?.resume()
    }

    /// Returns at the next signal, or at once when one was given since the last wait.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let resumeNow = state.withLock { state -> Bool in
                if case .signalled = state {
                    state = .idle
                    return true
                }
                state = .waiting(continuation)
                return false
            }
            if resumeNow { continuation.resume() }
        }
    }
}
