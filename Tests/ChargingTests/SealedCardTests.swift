import Contracts
import Testing

@testable import Charging

@Suite("Sealed card data")
struct SealedCardTests {
    let start = Sample.start

    // Failure scenario 57.
    @Test("of a key that is not here wait, with an alarm, until the ticket ends")
    func keyUnknown() {
        var machine = Sample.accepted()
        var time = start
        while machine.state.phase == .created, let due = machine.dueAt, due < start + .seconds(900) {
            time = due
            let actions = machine.receive(.due(.keyUnknown), at: time)
            #expect(actions.alarms == [.sealingKeyUnknown] && actions.facts.isEmpty)
            #expect(machine.state.holdsCard)
        }
        #expect(machine.dueAt == start + .seconds(900))
        #expect(
            machine.receive(.due(.keyUnknown), at: start + .seconds(900)).events == [.declined(.expired, nil)])
    }

    @Test("of a key that comes are sent")
    func keyComes() {
        var machine = Sample.accepted()
        _ = machine.receive(.due(.keyUnknown), at: start)
        #expect(machine.dueAt == start + .seconds(5))
        #expect(machine.receive(.due(.ready), at: start + .seconds(5)).sends == [1])
    }

    // Failure scenario 57.
    @Test("that cannot be opened end the payment only when nothing can have been sent")
    func unreadable() {
        var fresh = Sample.accepted()
        #expect(fresh.receive(.due(.unreadable), at: start).events == [.declined(.unreadable, nil)])

        var sent = Sample.submitted()
        _ = sent.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start)
        _ = sent.receive(.due(.ready), at: start + .seconds(3))
        _ = sent.receive(.queried(.answered(Sample.answer(.notFound, code: "34"))), at: start + .seconds(3))
        let actions = sent.receive(.due(.unreadable), at: start + .seconds(3))
        #expect(actions.facts.isEmpty && actions.alarms == [.unreadableCard])
        #expect(sent.state.phase == .unknown && !sent.state.holdsCard)
        #expect(sent.state.next?.kind == .query)
    }

    @Test(
        "are dropped as soon as no send can follow",
        arguments: [
            .sent(attempt: 1, .answered(Sample.answer(.accepted))),
            .sent(attempt: 1, .answered(Sample.answer(.declined(.other), code: "01"))),
            .sent(attempt: 1, .answered(Sample.answer(.alreadyKnown, code: "12"))),
            .queried(.answered(Sample.answer(.succeeded(remark: nil)))),
            .queried(.answered(Sample.answer(.unclear, code: "04"))),
            .notified(Sample.answer(.succeeded(remark: nil), echoed: EchoedFields(amount: 1))),
        ] as [OperationInput])
    func dropped(input: OperationInput) {
        var machine = Sample.submitted()
        #expect(machine.state.holdsCard)
        _ = machine.receive(input, at: start + .seconds(1))
        #expect(!machine.state.holdsCard)
    }

    @Test("are dropped on time although no query is due then")
    func onTime() {
        var machine = Sample.submitted(Sample.charge(expiresAfter: .seconds(100)))
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(65))
        #expect(machine.dueAt == start + .seconds(100))
        #expect(machine.receive(.due(.ready), at: start + .seconds(100)).isEmpty)
        #expect(!machine.state.holdsCard)
        #expect(machine.dueAt == start + .seconds(300))
    }
}
