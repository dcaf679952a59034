import KafkaBridge
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("What woke a relay")
struct RelayStateTests {
    private let state = RelayState()
    private static let (held, foreign) = (TopicPartition("t", 1), TopicPartition("t", 2))

    init() { _ = state.hold([Self.held]) }

    @Test("is reported once: streams of this process, and those of others that this session holds")
    func changes() {
        state.wake([Self.foreign])
        state.notified("t/1 t/2 unknown/3")
        #expect(state.nextChanges() == RelayState.Changes(own: [Self.foreign], named: [Self.held]))
        #expect(state.nextChanges() == RelayState.Changes())
    }

    @Test("is nothing that a new session holds: the lock of a session that has ended is gone")
    func newSession() async throws {
        try await Pipeline.with { pipeline in
            let first = try await RelaySession.open(pipeline.outbox, pipeline.database.configuration)
            let second = try await RelaySession.open(pipeline.outbox, pipeline.database.configuration)
            state.opened(first)
            state.lost(first)
            // The lock was taken just before the session ended.
            _ = state.hold([Self.held])
            state.opened(second)
            #expect(state.held.isEmpty && state.session(holding: Self.held) == nil)
            for session in [first, second] { await session.connection.close() }
        }
    }

    @Test("may be any stream", arguments: ["", "what nobody writes"])
    func poll(_ text: String) {
        state.notified(text)
        #expect(state.nextChanges() == RelayState.Changes(mustPoll: true))
    }
}
