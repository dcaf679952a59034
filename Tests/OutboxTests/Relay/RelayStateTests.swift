import KafkaBridge
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

    @Test("may be any stream", arguments: ["", "what nobody writes"])
    func poll(_ text: String) {
        state.notified(text)
        #expect(state.nextChanges() == RelayState.Changes(mustPoll: true))
    }
}
