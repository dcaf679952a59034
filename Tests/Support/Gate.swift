import Dispatch
import OrchardServiceKit

/// Lets waiters through once it is opened.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Locked(State())

    public init() {}

    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Returns when the gate is open or the task is cancelled.
    public func wait() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(continuation) }
            return state.isOpen
        }
        if isOpen { return }
        for await _ in stream {}
    }
}

extension Gate {
    /// Waits on the calling thread, which it blocks.
    public func block() {
        let semaphore = DispatchSemaphore(value: 0)
        Task {
            await wait()
            semaphore.signal()
        }
        semaphore.wait()
    }
}
