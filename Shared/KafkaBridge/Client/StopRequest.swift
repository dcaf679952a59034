import OrchardServiceKit

/// That a client's `run()` shall end: in order after a graceful shutdown, at once after a cancellation.
final class StopRequest: Sendable {
    private enum State { case none, graceful, immediate }
    private let state = Locked(State.none)
    private let signal: QueueSignal

    init(_ signal: QueueSignal) { self.signal = signal }

    var isRequested: Bool { state.withLock { $0 != .none } }
    var isImmediate: Bool { state.withLock { $0 == .immediate } }

    /// Runs `body` and listens meanwhile.
    func during(isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void) async {
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler(operation: body) { self.request(.immediate) }
        } onGracefulShutdown: {
            self.request(.graceful)
        }
    }

    private func request(_ wanted: State) {
        state.withLock { if $0 != .immediate { $0 = wanted } }
        signal.signal()
    }
}
