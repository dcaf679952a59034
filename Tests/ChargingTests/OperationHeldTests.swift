import Contracts
import Testing

@testable import Charging

@Suite("A send that is held back")
struct OperationHeldTests {
    let start = Sample.start

    @Test("waits without an intent, and goes on then")
    func waits() {
        var machine = Sample.accepted()
        #expect(machine.receive(.held(until: start + .seconds(4)), at: start).isEmpty)
        #expect(machine.state.phase == .created && machine.state.sends == 0 && machine.state.holdsCard)
        #expect(machine.dueAt == start + .seconds(4))
        #expect(machine.receive(.due(.ready), at: start + .seconds(4)).sends == [1])
    }

    @Test("ends with its ticket: what was never sent is declined as expired")
    func expires() {
        var machine = Sample.accepted(Sample.charge(expiresAfter: .seconds(60)))
        _ = machine.receive(.held(until: start + .seconds(90)), at: start + .seconds(59))
        #expect(machine.dueAt == start + .seconds(60))
        #expect(
            machine.receive(.held(until: start + .seconds(90)), at: start + .seconds(60)).events == [
                .declined(.expired, nil)
            ])
    }

    @Test("asks meanwhile when an earlier one may have left")
    func asks() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(.queried(.answered(Sample.answer(.notFound, code: "34"))), at: start + .seconds(3))
        #expect(machine.receive(.held(until: start + .seconds(30)), at: start + .seconds(3)).isEmpty)
        #expect(machine.state.next == NextStep(.query, at: start + .seconds(5)))
    }
}
