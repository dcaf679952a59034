import Contracts
import Testing

@testable import Charging

@Suite("A notification")
struct OperationNotificationTests {
    let start = Sample.start
    let paid = Sample.answer(.succeeded(remark: nil))
    let refused = Sample.answer(.declined(.issuerDeclined), code: "60")

    @Test("proves nothing by itself, but makes the query due now", arguments: [true, false])
    func due(isPaid: Bool) {
        var machine = Sample.submitted()
        #expect(machine.receive(.notified(isPaid ? paid : refused), at: start + .seconds(1)).isEmpty)
        #expect(machine.state.phase == .submitting)
        #expect(machine.dueAt == start + .seconds(1))
        #expect(machine.receive(.due(.ready), at: start + .seconds(1)).asks)
    }

    // Failure scenario 14.
    @Test("five times, and two at once, asks once a second")
    func five() {
        var machine = Sample.submitted()
        for _ in 1...5 { _ = machine.receive(.notified(paid), at: start + .seconds(1)) }
        #expect(machine.receive(.due(.ready), at: start + .seconds(1)).asks)
        _ = machine.receive(.notified(paid), at: start + .seconds(1))
        #expect(machine.dueAt == start + .seconds(2))
    }

    // Failure scenario 13.
    @Test("before the synchronous answer leads to the same end")
    func beforeAnswer() {
        var machine = Sample.submitted()
        _ = machine.receive(.notified(paid), at: start)
        _ = machine.receive(.due(.ready), at: start)
        _ = machine.receive(.queried(.answered(paid)), at: start)
        #expect(machine.receive(.sent(attempt: 1, .answered(Sample.answer(.accepted))), at: start).isEmpty)
        #expect(machine.state.phase == .succeeded)
    }

    @Test("that says other than the query raises an alarm; the query holds", arguments: [true, false])
    func contradicts(saysPaid: Bool) {
        var machine = Sample.submitted()
        _ = machine.receive(.notified(saysPaid ? paid : refused), at: start)
        _ = machine.receive(.due(.ready), at: start)
        let actions = machine.receive(.queried(.answered(saysPaid ? refused : paid)), at: start)
        #expect(actions.facts == [saysPaid ? "declined" : "succeeded"])
        #expect(actions.alarms == [.contradiction])
    }

    // Failure scenario 20.
    @Test("after the end is nothing new, or an alarm when it is contrary")
    func afterEnd() {
        var machine = Sample.submitted()
        _ = machine.receive(.queried(.answered(paid)), at: start)
        #expect(machine.receive(.notified(paid), at: start).isEmpty)
        let contrary = machine.receive(.notified(refused), at: start)
        #expect(contrary.alarms == [.contradiction] && contrary.facts.isEmpty)
        #expect(machine.state.phase == .succeeded && machine.dueAt == nil)
    }

    @Test("of money after a decline is looked into: a query tells whether it is true", arguments: [true, false])
    func afterDecline(isTrue: Bool) {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .answered(refused)), at: start)
        #expect(machine.receive(.notified(refused), at: start).isEmpty)
        #expect(machine.receive(.notified(paid), at: start).alarms == [.contradiction])
        #expect(machine.dueAt == start)
        #expect(machine.receive(.due(.ready), at: start).asks)
        let actions = machine.receive(.queried(.answered(isTrue ? paid : refused)), at: start)
        #expect(actions.facts.contains("lateSuccess") == isTrue)
        #expect(machine.dueAt == nil)
    }

    // Failure scenario 18.
    @Test("of another amount, currency or order under our key is a conflict", arguments: OperationQueryTests.foreign)
    func conflict(echoed: EchoedFields) {
        var machine = Sample.submitted()
        let actions = machine.receive(.notified(Sample.answer(.succeeded(remark: nil), echoed: echoed)), at: start)
        #expect(actions.facts == ["conflicted"] && actions.alarms == [.conflict])
        var ended = Sample.submitted()
        _ = ended.receive(.queried(.answered(paid)), at: start)
        let after = ended.receive(.notified(Sample.answer(.succeeded(remark: nil), echoed: echoed)), at: start)
        #expect(after.facts.isEmpty && after.alarms == [.conflict])
        #expect(ended.state.phase == .succeeded)
    }

    @Test("is not forgotten when the send turns out not to have left: the query stays the next step")
    func beforeNotSent() {
        for answer in [paid, refused] {
            var machine = Sample.submitted()
            _ = machine.receive(.notified(answer), at: start + .seconds(1))
            #expect(machine.receive(.sent(attempt: 1, .notSent(reason: "refused")), at: start + .seconds(1)).isEmpty)
            #expect(machine.state.next?.kind == (answer == paid ? .query : .send))
            #expect(machine.dueAt == start + .seconds(answer == paid ? 1 : 2))
        }
    }

    @Test(
        "of money keeps a charge that was never sent from here from ending by our own word", arguments: [true, false])
    func neverOurWord(isUnsendable: Bool) {
        var machine = Sample.submitted(Sample.charge(expiresAfter: .seconds(60)))
        _ = machine.receive(.notified(paid), at: start + .seconds(1))
        let outcome = isUnsendable ? SendOutcome.unsendable(reason: "no EMV") : .notSent(reason: "refused")
        var published = machine.receive(.sent(attempt: 1, outcome), at: start + .seconds(1)).facts
        let notFound = OperationInput.queried(.answered(Sample.answer(.notFound, code: "34")))
        for seconds in [1, 60, 61, 90] {
            published += machine.receive(.due(.ready), at: start + .seconds(seconds)).facts
            if seconds == 60 { published += machine.receive(notFound, at: start + .seconds(60)).facts }
        }
        #expect(published == ["unknown"])
        #expect(machine.state.phase == .unknown && machine.state.next?.kind == .query)
        #expect(machine.receive(.queried(.answered(paid)), at: start + .seconds(100)).facts == ["succeeded"])
    }

    @Test("of money keeps a decline in the answer from ending the charge: the query decides", arguments: [true, false])
    func beforeDecline(isTrue: Bool) {
        var machine = Sample.submitted()
        _ = machine.receive(.notified(paid), at: start + .seconds(1))
        let actions = machine.receive(.sent(attempt: 1, .answered(refused)), at: start + .seconds(1))
        #expect(actions.facts.isEmpty && actions.alarms == [.contradiction])
        #expect(machine.state.phase == .unknown && machine.dueAt == start + .seconds(1))
        #expect(machine.receive(.due(.ready), at: start + .seconds(1)).asks)
        let end = machine.receive(.queried(.answered(isTrue ? paid : refused)), at: start + .seconds(2))
        #expect(end.facts == [isTrue ? "succeeded" : "declined"])
    }

    @Test("of what we never sent leads to a person when no query is ever answered")
    func neverAnswered() {
        var machine = Sample.accepted(Sample.charge(expiresAfter: .seconds(60)))
        _ = machine.receive(.notified(refused), at: start)
        let schedule = machine.policy.querySchedule.last ?? .zero
        while machine.state.phase == .created, let due = machine.dueAt, due <= start + schedule + schedule {
            #expect(machine.resolutionRefusal(at: due) != nil)
            _ = machine.receive(.due(.ready), at: due)
            _ = machine.receive(.queried(.failed(reason: "no connection")), at: due)
        }
        #expect(machine.state.phase == .unknown)
        #expect(machine.resolutionRefusal(at: machine.resolvableAt) == nil)
    }

    @Test(
        "after a decline that the queries cannot confirm, because they tell of another order, is asked about no longer")
    func foreignAfterEnd() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .answered(refused)), at: start)
        let late = start + .seconds(86_400)
        _ = machine.receive(.notified(paid), at: late)
        #expect(machine.receive(.due(.ready), at: late).asks)
        let foreign = Sample.answer(.succeeded(remark: nil), echoed: OperationQueryTests.foreign[0])
        #expect(machine.receive(.queried(.answered(foreign)), at: late).alarms == [.conflict])
        #expect(machine.state.phase == .declined && machine.dueAt == nil)
    }

    @Test("of what we never sent is asked about before the send")
    func neverSent() {
        var machine = Sample.accepted()
        _ = machine.receive(.notified(paid), at: start)
        #expect(machine.receive(.due(.ready), at: start).asks)
        _ = machine.receive(.queried(.answered(Sample.answer(.notFound, code: "34"))), at: start)
        #expect(machine.receive(.due(.ready), at: start).sends == [1])
    }
}
