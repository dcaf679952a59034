import OrchardServiceKit

@testable import SandboxAcquirer

/// Receives the simulated acquirer's notifications instead of a merchant's server.
final class PostBox: Sendable {
    private struct State {
        var notes: [ACPMessage] = []
        var statuses: [Int?]
    }

    private let state: Locked<State>

    /// - Parameter statuses: the first answers; then 200.
    init(statuses: [Int?] = []) { state = Locked(State(statuses: statuses)) }

    var notes: [ACPMessage] { state.withLock { $0.notes } }

    func post(_ url: String, _ form: [UInt8]) -> Int? {
        state.withLock { state in
            state.notes.append(ACPMessage(form: form) ?? ACPMessage([:]))
            return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
        }
    }
}
