/// What happened so far, with waiting for a condition instead of for a time.
actor Recorder<State: Sendable> {
    private(set) var state: State
    private var waiting: [Int: Waiter] = [:]
    private var nextID = 0

    private struct Waiter {
        let condition: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    init(_ state: State) { self.state = state }

    func update(_ change: @Sendable (inout State) -> Void) {
        change(&state)
        for (id, waiter) in waiting where waiter.condition(state) { resume(id) }
    }

    /// Returns when the condition holds, or when the test's time is over.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        nextID += 1
        let id = nextID
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if condition(state) || Task.isCancelled { return continuation.resume() }
                waiting[id] = Waiter(condition: condition, continuation: continuation)
            }
        } onCancel: {
            Task { await self.resume(id) }
        }
    }

    private func resume(_ id: Int) { waiting.removeValue(forKey: id)?.continuation.resume() }
}
