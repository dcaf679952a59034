import Contracts
import Testing

@testable import Charging

@Suite("An outcome that stays away")
struct OperationUnknownTests {
    let start = Sample.start

    @Test(
        "is told once, 20 s after the send, whatever the send was answered",
        arguments: [
            nil, .unknown(reason: "timeout"), .answered(Sample.answer(.accepted)),
            .answered(Sample.answer(.alreadyKnown, code: "12")), .answered(Sample.answer(.unclear, code: "04")),
        ] as [SendOutcome?])
    func once(outcome: SendOutcome?) {
        var machine = Sample.submitted()
        if let outcome { _ = machine.receive(.sent(attempt: 1, outcome), at: start + .seconds(1)) }
        var published: [String] = []
        var times: [Timestamp] = []
        while let due = machine.dueAt, due < start + .seconds(4_000), times.count < 10 {
            let actions = machine.receive(.due(.ready), at: due)
            if actions.asks {
                let answer = Sample.answer(.unclear, code: "04")
                published += machine.receive(.queried(.answered(answer)), at: due).facts
            }
            if !actions.facts.isEmpty { times.append(due) }
            published += actions.facts
        }
        #expect(published == ["unknown"] && times == [start + .seconds(20)])
        #expect(machine.state.phase.isOpen)
    }

    @Test("is not told when the query that is due then brings it")
    func inTime() {
        var machine = Sample.submitted()
        let paid = OperationInput.queried(.answered(Sample.answer(.succeeded(remark: nil))))
        #expect(machine.receive(.due(.ready), at: start + .seconds(17)).asks)
        #expect(machine.dueAt == start + .seconds(20))
        #expect(machine.receive(paid, at: start + .seconds(20)).facts == ["succeeded"])
    }

    @Test("counts from the first send that may have left, not from its repetition")
    func repeated() {
        var machine = Sample.resent()
        #expect(machine.receive(.due(.ready), at: start + .seconds(19)).facts.isEmpty)
        #expect(machine.receive(.due(.ready), at: start + .seconds(20)).facts == ["unknown"])
    }

    @Test("counts anew when the send surely did not leave; told once all the same")
    func notSent() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .notSent(reason: "refused")), at: start + .seconds(4))
        #expect(machine.receive(.due(.ready), at: start + .seconds(5)).sends == [2])
        #expect(machine.receive(.due(.ready), at: start + .seconds(24)).facts.isEmpty)
        #expect(machine.receive(.due(.ready), at: start + .seconds(25)).facts == ["unknown"])
        _ = machine.receive(.sent(attempt: 2, .notSent(reason: "stood still")), at: start + .seconds(26))
        #expect(machine.receive(.due(.ready), at: start + .seconds(28)).sends == [3])
        #expect(machine.receive(.due(.ready), at: start + .seconds(60)).facts.isEmpty)
    }

    @Test("comes at last with the time of the send and the number of queries")
    func success() {
        var machine = Sample.resent()
        for seconds in [6, 9] { _ = machine.receive(.due(.ready), at: start + .seconds(seconds)) }
        let answer = Sample.answer(.succeeded(remark: nil))
        let actions = machine.receive(.queried(.answered(answer)), at: start + .seconds(10))
        #expect(actions.events == [.succeeded(answer.result, sentAt: start, queries: 3)])

        var forgotten = Sample.accepted()
        _ = forgotten.receive(.notified(answer), at: start)
        _ = forgotten.receive(.due(.ready), at: start)
        #expect(
            forgotten.receive(.queried(.answered(answer)), at: start).events
                == [.succeeded(answer.result, sentAt: nil, queries: 1)])
    }
}
