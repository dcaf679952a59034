import Contracts
import Testing

@testable import Charging

@Suite("Sending again")
struct OperationResendTests {
    let start = Sample.start
    let notFound = OperationInput.queried(.answered(Sample.answer(.notFound, code: "34")))

    // Failure scenario 3.
    @Test("follows a query that finds nothing, under the same key")
    func resend() {
        var machine = Sample.submitted()
        let key = machine.charge.reference
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        #expect(machine.receive(.due(.ready), at: start + .seconds(3)).asks)
        #expect(machine.receive(notFound, at: start + .seconds(3)).isEmpty)
        #expect(machine.wantsCard(at: start + .seconds(3)))
        let actions = machine.receive(.due(.ready), at: start + .seconds(3))
        #expect(actions.sends == [2] && actions.facts.isEmpty)
        #expect(machine.charge.reference == key)
        #expect(machine.dueAt == start + .seconds(6))
    }

    // Failure scenarios 3, 4.
    @Test("waits while the first send may still be on its way, and not longer after a crash")
    func crash() {
        var machine = Sample.submitted()
        for seconds in [3, 5] {
            #expect(machine.receive(.due(.ready), at: start + .seconds(seconds)).asks)
            _ = machine.receive(notFound, at: start + .seconds(seconds))
            #expect(machine.state.next?.kind == .query)
        }
        #expect(machine.receive(.due(.ready), at: start + .seconds(9)).asks)
        _ = machine.receive(notFound, at: start + .seconds(9))
        #expect(machine.receive(.due(.ready), at: start + .seconds(9)).sends == [2])
    }

    // Failure scenarios 3, 53.
    @Test(
        "proves acceptance, never failure",
        arguments: [
            (.accepted, .pending), (.succeeded(remark: nil), .succeeded), (.declined(.configuration), .unknown),
            (.declined(.insufficientFunds), .unknown), (.alreadyKnown, .unknown), (.unclear, .unknown),
        ] as [(Verdict, OperationPhase)])
    func answer(verdict: Verdict, phase: OperationPhase) {
        for attempt in [1, 2] {
            var machine = Sample.resent()
            _ = machine.receive(.sent(attempt: attempt, .answered(Sample.answer(verdict))), at: start + .seconds(4))
            #expect(machine.state.phase == phase)
            #expect(machine.state.phase.isLive == (machine.dueAt != nil))
        }
    }

    @Test(
        "that is accepted after a decline asks again: only the acquirer's book tells whether it took it",
        arguments: [
            (.succeeded(remark: nil), ["lateSuccess"], false), (.declined(.other), [], false),
            (.unclear, [], true), (.notFound, [], true),
        ] as [(Verdict, [String], Bool)])
    func acceptedAfterDecline(verdict: Verdict, facts: [String], asksOn: Bool) {
        var machine = Sample.resent()
        let declined = Sample.answer(.declined(.insufficientFunds), code: "64")
        #expect(machine.receive(.queried(.answered(declined)), at: start + .seconds(4)).facts == ["declined"])
        #expect(machine.dueAt == nil)
        #expect(
            machine.receive(.sent(attempt: 2, .answered(Sample.answer(.accepted))), at: start + .seconds(5)).isEmpty)
        #expect(machine.receive(.due(.ready), at: start + .seconds(5)).asks)
        #expect(machine.receive(.queried(.answered(Sample.answer(verdict))), at: start + .seconds(6)).facts == facts)
        #expect((machine.dueAt != nil) == asksOn)
        let last = machine.receive(
            .queried(.answered(Sample.answer(.notFound, code: "34"))), at: start + .seconds(7_300))
        #expect(last.isEmpty && machine.dueAt == nil, "when the schedule is over, the decline stands")
    }

    // Failure scenario 53.
    @Test("leaves the decision to the query, which may still find the first send")
    func decided() {
        var machine = Sample.resent()
        _ = machine.receive(
            .sent(attempt: 2, .answered(Sample.answer(.declined(.configuration), code: "10"))), at: start + .seconds(4))
        #expect(machine.receive(.due(.ready), at: start + .seconds(6)).asks)
        let actions = machine.receive(
            .queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: start + .seconds(6))
        #expect(actions.facts == ["succeeded"])
    }

    @Test("takes nothing back when the proof that a send did not leave comes twice or too late")
    func notSentTwice() {
        var machine = Sample.resent()
        _ = machine.receive(.sent(attempt: 1, .notSent(reason: "refused")), at: start + .seconds(4))
        #expect(machine.state.possibleSends == 2)
        for _ in 1...3 {
            _ = machine.receive(.sent(attempt: 2, .notSent(reason: "refused")), at: start + .seconds(4))
        }
        #expect(machine.state.possibleSends == 1 && machine.state.phase == .unknown)
    }

    @Test("that did not leave falls back to what is not known of the first")
    func resendNotSent() {
        var machine = Sample.resent()
        let actions = machine.receive(.sent(attempt: 2, .notSent(reason: "refused")), at: start + .seconds(4))
        #expect(actions.facts.isEmpty)
        #expect(machine.state.phase == .unknown && machine.state.next?.kind == .query)
    }

    // Failure scenario 3.
    @Test("does not happen once the ticket or the acquirer's tolerance has run out", arguments: [4, 900])
    func tooOld(expires: Int) {
        var machine = Sample.submitted(Sample.charge(expiresAfter: .seconds(expires)))
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        let late = start + .seconds(max(5, expires))
        _ = machine.receive(.due(.ready), at: late)
        _ = machine.receive(notFound, at: late)
        #expect(!machine.state.holdsCard)
        #expect(machine.state.phase == .unknown)
        #expect(machine.state.next?.kind == .query)
    }

    // Failure scenario 21.
    @Test("does not happen when the acquirer has shown that it knows the transaction")
    func known() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .answered(Sample.answer(.alreadyKnown, code: "12"))), at: start)
        #expect(!machine.state.holdsCard)
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(notFound, at: start + .seconds(3))
        #expect(machine.state.next?.kind == .query)
    }

    @Test("is given up when the acquirer shows between query and send that it knows the transaction")
    func knownMeanwhile() {
        var machine = Sample.submitted()
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(notFound, at: start + .seconds(3))
        #expect(machine.state.next?.kind == .send)
        // An older query's answer, overtaken by the one that found nothing.
        _ = machine.receive(.queried(.answered(Sample.answer(.unclear, code: "04"))), at: start + .seconds(3))
        let actions = machine.receive(.due(.ready), at: start + .seconds(5))
        #expect(actions.sends.isEmpty && actions.asks)
    }

    @Test("ends at the limit of sends that may have arrived")
    func limit() {
        var machine = Sample.submitted()
        var time = start
        while time < start + .seconds(600), let due = machine.dueAt {
            time = max(time, due)
            let actions = machine.receive(.due(.ready), at: time)
            for attempt in actions.sends {
                _ = machine.receive(.sent(attempt: attempt, .unknown(reason: "timeout")), at: time)
            }
            if actions.asks { _ = machine.receive(notFound, at: time) }
        }
        #expect(machine.state.sends == ChargingPolicy().maximumSends)
        #expect(machine.state.phase == .unknown && !machine.state.holdsCard)
    }
}
