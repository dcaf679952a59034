import Contracts
import Testing

@testable import Charging

@Suite("A query")
struct OperationQueryTests {
    let start = Sample.start

    // Failure scenarios 8, 23, 24.
    @Test(
        "decides what a send left open",
        arguments: [
            (.succeeded(remark: nil), .succeeded, ["succeeded"], []),
            (.succeeded(remark: Remark("success with a defect")), .succeeded, ["succeeded"], [.successWithRemark]),
            (
                .succeeded(remark: Remark("charged, but too late", isOfFailure: true)), .lateSuccess, ["lateSuccess"],
                [.lateSuccess, .successWithRemark]
            ),
            (.declined(.incorrectPIN), .declined, ["declined"], []),
            (.declined(.configuration), .declined, ["declined"], [.configuration]),
            (.accepted, .pending, [], []),
            (.unclear, .unknown, [], []),
            (.notFound, .unknown, [], []),
            (.tooManyQueries, .unknown, [], []),
        ] as [(Verdict, OperationPhase, [String], [Alarm.Kind])])
    func decides(verdict: Verdict, phase: OperationPhase, facts: [String], alarms: [Alarm.Kind]) {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        let actions = machine.receive(.queried(.answered(Sample.answer(verdict))), at: start + .seconds(3))
        #expect(machine.state.phase == phase)
        #expect(actions.facts == facts && actions.alarms == alarms)
        guard case .succeeded(let remark) = verdict else { return }
        switch actions.events.first {
        case .succeeded(let result, _, _), .lateSuccess(let result): #expect(result.remark == remark?.text)
        default: Issue.record("the fact has no result")
        }
    }

    // Failure scenario 26.
    @Test("that fails keeps the state for a year, and ends it when the acquirer is back")
    func outage() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        var time = start
        var published: [String] = []
        while time < start + .seconds(365 * 86_400), let due = machine.dueAt {
            time = due
            published += machine.receive(.due(.keyUnknown), at: time).facts
            #expect(machine.receive(.queried(.failed(reason: "HTTP 503")), at: time).isEmpty)
        }
        #expect(published == ["unknown"])
        #expect(machine.state.phase == .unknown)
        let actions = machine.receive(.queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: time)
        #expect(actions.facts == ["succeeded"])
    }

    @Test("that cannot tell for our own fault changes nothing and tells a person")
    func misconfigured() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        let before = machine
        let actions = machine.receive(.queried(.misconfigured(reason: "code 11")), at: start + .seconds(3))
        #expect(actions.alarms == [.configuration] && actions.facts.isEmpty)
        #expect(machine == before)
    }

    @Test("that finds what was never sent from here makes it unknown: it is never ended as expired")
    func foundUnsent() {
        var notified = Sample.accepted()
        _ = notified.receive(.notified(Sample.answer(.succeeded(remark: nil))), at: start)
        _ = notified.receive(.due(.ready), at: start)
        var notSent = Sample.submitted()
        _ = notSent.receive(.due(.ready), at: start + .seconds(3))
        for (machine, last) in [
            (notified, nil), (notSent, OperationInput.sent(attempt: 1, .notSent(reason: "refused"))),
        ] {
            var machine = machine
            let unclear = OperationInput.queried(.answered(Sample.answer(.unclear, code: "04")))
            var facts = machine.receive(unclear, at: start + .seconds(3)).facts
            if let last { facts += machine.receive(last, at: start + .seconds(4)).facts }
            #expect(facts.isEmpty)
            #expect(machine.state.phase == .unknown && machine.state.next?.kind == .query)
            let late = machine.receive(.due(.ready), at: start + .seconds(1_000))
            #expect(late.facts == ["unknown"] && late.asks)
        }
    }

    // Failure scenarios 10, 11.
    @Test("of 05, 05, 04 and 00 ends as paid with four queries in 17 seconds")
    func pending() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .answered(Sample.answer(.accepted))), at: start + .seconds(1))
        var published: [String] = []
        for (seconds, verdict) in [(3, Verdict.accepted), (5, .accepted), (9, .unclear), (17, .succeeded(remark: nil))]
        {
            #expect(machine.dueAt == start + .seconds(seconds))
            published += machine.receive(.due(.ready), at: start + .seconds(seconds)).facts
            published +=
                machine.receive(.queried(.answered(Sample.answer(verdict))), at: start + .seconds(seconds)).facts
        }
        #expect(published == ["succeeded"] && machine.state.queries == 4)
    }

    // Failure scenario 25.
    @Test("answered with too many queries leaves out the next point of the schedule")
    func tooMany() {
        var machine = Sample.submitted()
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(.queried(.answered(Sample.answer(.tooManyQueries, code: "37"))), at: start + .seconds(3))
        #expect(machine.dueAt == start + .seconds(9))
    }

    @Test("that carries something else under our key is a conflict that only a person ends", arguments: Self.foreign)
    func conflict(echoed: EchoedFields) {
        var machine = Sample.submitted()
        let answer = Sample.answer(.succeeded(remark: nil), echoed: echoed)
        let actions = machine.receive(.queried(.answered(answer)), at: start + .seconds(3))
        #expect(actions.facts == ["conflicted"] && actions.alarms == [.conflict])
        #expect(machine.state.phase == .conflicted && machine.state.phase.isLive)
        #expect(machine.dueAt == nil && !machine.state.holdsCard)
        let paid = machine.receive(.queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: start + .seconds(5))
        #expect(paid.facts.isEmpty && paid.alarms == [.contradiction])
    }

    @Test("that carries our order, amount and currency is no conflict")
    func own() {
        var machine = Sample.submitted()
        let echoed = EchoedFields(reserved: machine.charge.reserved, amount: 12_345, currency: "156")
        let answer = Sample.answer(.succeeded(remark: nil), echoed: echoed)
        #expect(machine.receive(.queried(.answered(answer)), at: start + .seconds(3)).facts == ["succeeded"])
    }

    @Test("may find money after a decline: told as late, alarmed, never a silent flip")
    func lateSuccess() {
        var machine = Sample.submitted()
        _ = machine.receive(
            .sent(attempt: 1, .answered(Sample.answer(.declined(.other), code: "01"))), at: start + .seconds(1))
        let actions = machine.receive(
            .queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: start + .seconds(4))
        #expect(actions.facts == ["lateSuccess"] && actions.alarms == [.lateSuccess])
        let again = machine.receive(
            .queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: start + .seconds(5))
        #expect(again.isEmpty)
    }

    static let foreign = [
        EchoedFields(reserved: "another"), EchoedFields(amount: 12_346), EchoedFields(currency: "840"),
        EchoedFields(reserved: Sample.charge(2).reserved, amount: 12_345, currency: "156"),
    ]
}
