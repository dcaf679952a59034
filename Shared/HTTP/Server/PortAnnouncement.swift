import OrchardServiceKit

/// Returns the bound port, now or as soon as there is one.
final class PortAnnouncement: Sendable {
    private struct State {
        var result: Result<Int, HTTPServerError>?
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Int, any Error>] = [:]
    }

    private let state = Locked(State())

    var value: Int {
        get async throws {
            let id = state.withLock { state in
                state.nextID += 1
                return state.nextID
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let known = state.withLock { state -> Result<Int, any Error>? in
                        if let result = state.result { return result.mapError { $0 } }
                        if Task.isCancelled { return .failure(CancellationError()) }
                        state.waiting[id] = continuation
                        return nil
                    }
                    if let known { continuation.resume(with: known) }
                }
            } onCancel: {
                state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
            }
        }
    }

    func announce(_ result: Result<Int, HTTPServerError>) {
        let waiting = state.withLock { state in
            state.result = result
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(with: result) }
    }
}
