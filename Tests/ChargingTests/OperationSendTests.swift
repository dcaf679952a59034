import Contracts
import Testing

@testable import Charging

@Suite("Sending")
struct OperationSendTests {
    let start = Sample.start

    @Test("commits the intent before anything is sent, tells nothing, and asks 3 s later")
    func intent() {
        var machine = Sample.accepted()
        let actions = machine.receive(.due(.ready), at: start)
        #expect(actions == [.send(machine.subject, attempt: 1)])
        #expect(machine.state.phase == .submitting && machine.state.possibleSends == 1)
        #expect(machine.dueAt == start + .seconds(3))
    }

    @Test("is not begun before its time")
    func early() {
        var machine = Sample.accepted()
        #expect(machine.receive(.due(.ready), at: start - .seconds(1)).isEmpty)
    }

    @Test("is given up without an end where it may have been done under a key that is gone: a person decides")
    func lostKey() {
        var state = OperationState(phase: .unknown)
        (state.sends, state.holdsCard, state.openSince, state.next) = (1, true, start, NextStep(.send, at: start))
        var machine = OperationMachine(
            .charge(Sample.charge(hasRoute: false)), state: state, policy: ChargingPolicy())
        #expect(machine.receive(.due(.ready), at: start).isEmpty)
        #expect(machine.state.phase == .unknown && machine.state.sends == 1 && machine.state.next == nil)
    }

    // Failure scenario 10.
    @Test("asks at 3 s beside a request that still hangs, without telling anything")
    func hangs() {
        var machine = Sample.submitted()
        let actions = machine.receive(.due(.ready), at: start + .seconds(3))
        #expect(actions.asks && actions.facts.isEmpty)
        #expect(machine.dueAt == start + .seconds(5))
    }

    // Failure scenarios 21, 22.
    @Test(
        "ends or goes on by the first answer",
        arguments: [
            (.accepted, "00", .pending, []),
            (.succeeded(remark: nil), "00", .succeeded, ["succeeded"]),
            (.declined(.insufficientFunds), "64", .declined, ["declined"]),
            (.alreadyKnown, "12", .unknown, []),
            (.unclear, "04", .unknown, []),
            (.notFound, "34", .unknown, []),
            (.tooManyQueries, "37", .unknown, []),
        ] as [(Verdict, String, OperationPhase, [String])])
    func answers(verdict: Verdict, code: String, phase: OperationPhase, facts: [String]) {
        var machine = Sample.submitted()
        let actions = machine.receive(
            .sent(attempt: 1, .answered(Sample.answer(verdict, code: code))), at: start + .seconds(1))
        #expect(actions.facts == facts)
        #expect(machine.state.phase == phase)
        #expect(machine.dueAt == (phase.isLive ? start + .seconds(3) : nil))
    }

    @Test("keeps when the acquirer first said that it took it")
    func acceptance() {
        var machine = Sample.submitted()
        let accepted = Sample.answer(.accepted)
        #expect(machine.state.acceptedAt == nil)
        _ = machine.receive(.sent(attempt: 1, .answered(accepted)), at: start + .seconds(1))
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(.queried(.answered(accepted)), at: start + .seconds(4))
        #expect(machine.state.acceptedAt == start + .seconds(1))
    }

    // Failure scenario 7.
    @Test("of what surely did not leave is tried again with growing waits")
    func notSent() {
        var machine = Sample.submitted()
        var time = start
        for (attempt, wait) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 15), (6, 15)] {
            let actions = machine.receive(.sent(attempt: attempt, .notSent(reason: "refused")), at: time)
            #expect(actions.isEmpty)
            #expect(machine.state.phase == .created)
            #expect(machine.dueAt == time + .seconds(wait))
            time = time + .seconds(wait)
            #expect(machine.receive(.due(.ready), at: time).sends == [attempt + 1])
        }
        // Only the last of them may have left, so that its refusal is believed.
        let actions = machine.receive(
            .sent(attempt: 7, .answered(Sample.answer(.declined(.frozenCard), code: "63"))), at: time)
        #expect(actions.facts == ["declined"])
    }

    @Test("of what cannot be put into the acquirer's form ends at once, when no other send can have happened")
    func unsendable() {
        var machine = Sample.submitted()
        let actions = machine.receive(.sent(attempt: 1, .unsendable(reason: "no EMV")), at: start)
        #expect(actions.events == [.declined(.unsendable, nil)] && actions.alarms == [.unsendable])
        #expect(machine.dueAt == nil && !machine.state.holdsCard)
        #expect(machine.receive(.sent(attempt: 1, .unsendable(reason: "no EMV")), at: start).isEmpty)

        var resent = Sample.resent()
        let later = resent.receive(.sent(attempt: 2, .unsendable(reason: "no EMV")), at: start + .seconds(4))
        #expect(later.facts.isEmpty && later.alarms == [.unsendable])
        #expect(resent.state.phase == .unknown && !resent.state.holdsCard && resent.state.next?.kind == .query)
    }

    @Test("what was never sent is declined as expired when ticket or tolerance ends", arguments: [60, 900])
    func expires(seconds: Int) {
        var machine = Sample.accepted(Sample.charge(expiresAfter: .seconds(seconds)))
        _ = machine.receive(.due(.ready), at: start)
        _ = machine.receive(.sent(attempt: 1, .notSent(reason: "refused")), at: start + .seconds(seconds - 1))
        let end = start + .seconds(seconds)
        #expect(machine.dueAt == end)
        #expect(!machine.wantsCard(at: end))
        #expect(machine.receive(.due(.ready), at: end).events == [.declined(.expired, nil)])
    }

    @Test("never ends as expired once something may have left, however old it is")
    func neverExpires() {
        var machine = Sample.submitted()
        var published = machine.receive(.sent(attempt: 1, .unknown(reason: "timeout")), at: start + .seconds(30)).facts
        for hours in 1...100 {
            published += machine.receive(.due(.ready), at: start + .seconds(hours * 3_600)).facts
        }
        #expect(published == ["unknown"])
        #expect(machine.state.phase == .unknown)
        #expect(!machine.state.holdsCard)
        #expect(machine.dueAt != nil)
    }

    @Test("an answer after the query's end changes nothing but raises an alarm when it contradicts")
    func late() {
        var machine = Sample.submitted()
        _ = machine.receive(.due(.ready), at: start + .seconds(3))
        _ = machine.receive(.queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: start + .seconds(3))
        let accepted = machine.receive(.sent(attempt: 1, .answered(Sample.answer(.accepted))), at: start + .seconds(9))
        #expect(accepted.isEmpty && machine.state.acceptedAt == nil)
        let declined = machine.receive(
            .sent(attempt: 1, .answered(Sample.answer(.declined(.other), code: "01"))), at: start + .seconds(9))
        #expect(declined.alarms == [.contradiction] && declined.facts.isEmpty)
        #expect(machine.state.phase == .succeeded)
    }

    // Failure scenario 32.
    @Test("a refusal of our own set-up is declined and tells a person")
    func configuration() {
        var machine = Sample.submitted()
        let actions = machine.receive(
            .sent(attempt: 1, .answered(Sample.answer(.declined(.configuration), code: "10"))), at: start)
        #expect(actions.facts == ["declined"] && actions.alarms == [.configuration])
    }
}
