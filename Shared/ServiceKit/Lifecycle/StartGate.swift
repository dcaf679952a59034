/// Holds services back until what they need was checked: topics, schema, keys.
///
/// The check waits for what is unreachable and shows this in `/readyz`. When something is wrong, the process ends with
/// a message that says what to do.
public final class StartGate: Service {
    private let check: @Sendable () async throws -> Void
    private let state = Locked(State())

    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    /// - Parameter check: returns when services may start; throws when they must not.
    public init(check: @escaping @Sendable () async throws -> Void) {
        self.check = check
    }

    /// Checks, opens the gate, and runs until the graceful shutdown.
    ///
    /// - Throws: what the check throws.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.check()
                return true
            }
            group.addTask {
                try await gracefulShutdown()
                return false
            }
            let isChecked = try await group.next() ?? false
            group.cancelAll()
            if isChecked { release() }
        }
        try await gracefulShutdown()
    }

    /// A service that starts when the gate opens. If it is stopped before, it ends at once.
    public func holding(_ service: any Service) -> any Service { GatedService(gate: self, service: service) }

    private func release() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits; false when the waiting service is stopped first.
    fileprivate func opens() async -> Bool {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(continuation) }
            return state.isOpen
        }
        if isOpen { return true }
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
        return state.withLock { $0.isOpen } && !Task.isCancelled
    }
}

/// A service behind a ``StartGate``.
private struct GatedService: Service, CustomStringConvertible {
    let gate: StartGate
    let service: any Service

    /// The log shows that the service starts and stops, not the gate.
    var description: String { ServiceGroup.name(of: service) }

    func run() async throws {
        if await gate.opens() { try await service.run() }
    }
}
