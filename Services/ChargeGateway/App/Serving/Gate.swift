import ServiceKit

/// Keeps services waiting until the start rules have been checked.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Locked(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Returns when the gate is open, or when the task is cancelled.
    func pass() async {
        let stream = state.withLock { state -> AsyncStream<Never>? in
            guard !state.isOpen else { return nil }
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            state.waiting.append(continuation)
            return stream
        }
        guard let stream else { return }
        for await _ in stream {}
    }
}

/// A service that begins behind the gate.
struct Gated: Service, CustomStringConvertible {
    let gate: Gate
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws {
        _ = try? await cancelWhenGracefulShutdown { await gate.pass() }
        guard gate.isOpen else { return }
        try await service.run()
    }
}
