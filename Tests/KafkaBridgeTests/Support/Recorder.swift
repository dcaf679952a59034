/// What happened so far, with waiting for a condition instead of for a time.
actor Recorder<State: Sendable> {
    private(set) var state: State
    private var waiting: [(condition: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ state: State) { self.state = state }

    func update(_ change: @Sendable (inout State) -> Void) {
        change(&state)
        let met = waiting.filter { $0.condition(state) }
        waiting.removeAll { $0.condition(state) }
        for entry in met { entry.continuation.resume() }
    }

    /// Returns when the condition holds.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        guard !condition(state) else { return }
        await withCheckedContinuation { waiting.append((condition, $0)) }
    }
}

/// Looks again and again until a condition holds that nothing tells; the suite's time limit bounds it.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}
