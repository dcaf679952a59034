import OrchardServiceKit

/// Admits one task after the other, first come, first served.
///
/// An actor runs other calls while one is suspended: the lock keeps whole exchanges apart.
final class ConnectionLock: Sendable {
    private typealias Waiter = (number: UInt64, continuation: CheckedContinuation<Bool, Never>)

    private struct State {
        var isHeld = false
        var lastNumber: UInt64 = 0
        var waiters: [Waiter] = []
    }

    private let state = Locked(State())

    /// Waits for the turn, also in a task that is cancelled. ``pass()`` gives it on.
    func acquire(isolation: isolated (any Actor)? = #isolation) async {
        guard !acquireIfFree() else { return }
        _ = await withCheckedContinuation { wait(0, $0, isCancellable: false) }
    }

    /// Waits for the turn until the task is cancelled.
    ///
    /// - Returns: whether the task has the turn; then ``pass()`` gives it on.
    func acquireUnlessCancelled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        guard !Task.isCancelled else { return false }
        guard !acquireIfFree() else { return true }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait(number, $0, isCancellable: true) }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Gives the turn to the task that has waited longest.
    func pass() {
        let next = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.isHeld = false
            return nil
        }
        next?.continuation.resume(returning: true)
    }

    /// How many tasks wait.
    var length: Int { state.withLock { $0.waiters.count } }

    private func acquireIfFree() -> Bool {
        state.withLock { state in
            defer { state.isHeld = true }
            return !state.isHeld
        }
    }

    private func wait(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>, isCancellable: Bool) {
        let answer = state.withLock { state -> Bool? in
            // A cancellation before this point had no effect.
            if isCancellable, Task.isCancelled { return false }
            guard state.isHeld else {
                state.isHeld = true
                return true
            }
            state.waiters.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }
}
