import Contracts
import Testing

@testable import Charging

@Suite("A sale that succeeds too late")
struct LateSuccessTests {
    /// An order whose charge was declined by an answer.
    private static var declined: OrderMachine {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge()
        _ = order.receive(.charge(charge), at: Sample.start)
        _ = order.receive(.operation(charge.operation, .due(.ready)), at: Sample.start)
        let no = PaymentStory.answer(.declined(.issuerDeclined), .charge(charge))
        _ = order.receive(.operation(charge.operation, .sent(attempt: 1, .answered(no))), at: Sample.start)
        return order
    }

    private static var paid: OrderInput {
        let charge = Sample.charge()
        return .operation(
            charge.operation, .queried(.answered(PaymentStory.answer(.succeeded(remark: nil), .charge(charge)))))
    }

    // Failure scenario 34.
    @Test("gives all of it back by itself, once, under keys that are functions of the payment")
    func refunds() {
        var keys: Set<AcquirerReference> = []
        for _ in 1...2 {
            var story = PaymentStory()
            (story.order, story.facts) = (Self.declined, [])
            story.take(Self.paid, after: .seconds(90))
            #expect(story.actions.facts == ["lateSuccess", "refund accepted"])
            let refund = story.last.subject
            #expect(refund.amount == Sample.amount)
            #expect(refund.followUp?.cause == .lateSuccess(PaymentStory.payment))
            #expect(refund.followUp?.causedAt == Sample.start)
            if let key = refund.reference { keys.insert(key) }
            story.take(Self.paid)
            #expect(story.actions.facts.isEmpty && story.order.followUps.count == 1)
            story.ask(.refund, 1)
            #expect(story.actions.facts == ["rejected: operationInProgress"])
            story.complete()
            story.ask(.refund, 1)
            #expect(story.actions.facts == ["rejected: nothingLeft"])
        }
        #expect(keys.count == 1)
    }

    // Failure scenario 23.
    @Test("and one that the acquirer calls failed: it is given back, and its order is free for another token")
    func calledFailed() throws {
        let (first, second) = (Sample.charge(), Sample.charge(2))
        var story = PaymentStory()
        story.order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        story.take(.charge(first))
        story.take(.operation(first.operation, .due(.ready)))
        story.take(.operation(first.operation, .sent(attempt: 1, .unknown(reason: "timeout"))))
        story.take(.charge(second))
        #expect(story.actions.facts == ["refused"], "the first may still pay")
        let owed = Verdict.succeeded(remark: Remark("42: charged, but too late", isOfFailure: true))
        story.take(
            .operation(first.operation, .queried(.answered(PaymentStory.answer(owed, .charge(first))))),
            after: .seconds(3))
        #expect(story.actions.facts == ["lateSuccess", "refund accepted"])
        #expect(story.actions.alarms == [.lateSuccess, .successWithRemark])
        #expect(story.order.closure == nil)
        story.complete()
        #expect(story.actions.facts == ["refund succeeded"])
        #expect(story.order.balance(of: first.payment)?.refundable == 0)
        let third = Sample.charge(3)
        story.take(.charge(third))
        story.take(.operation(third.operation, .due(.ready)))
        let paid = PaymentStory.answer(.succeeded(remark: nil), .charge(third))
        story.take(.operation(third.operation, .sent(attempt: 1, .answered(paid))))
        #expect(story.actions.facts == ["succeeded"])
        #expect(story.order.closure == OrderClosure(reason: .paid, payment: third.payment))
    }

    @Test("that the acquirer will not give back is an alarm; the shop may ask again")
    func failed() {
        var story = PaymentStory()
        story.order = Self.declined
        story.take(Self.paid)
        story.complete(.failed(.refused))
        #expect(story.actions.facts == ["refund failed"] && story.actions.alarms == [.refundFailed])
        story.done(.refund)
        #expect(story.facts.last == "refund succeeded")
    }

    @Test(
        "by a person's word alone is not given back by itself, whatever is told later: the shop decides",
        arguments: [false, true])
    func resolved(isRecovered: Bool) throws {
        var order = Self.declined
        let second = Sample.charge(2)
        _ = order.receive(.charge(second), at: Sample.start)
        _ = order.receive(.operation(second.operation, .due(.ready)), at: Sample.start)
        _ = order.receive(
            .operation(second.operation, .sent(attempt: 1, .unknown(reason: "timeout"))), at: Sample.start)
        let index = try #require(order.operations.lastIndex { $0.subject.payment == second.payment })
        if isRecovered { order.suspectForgottenSends(at: Sample.start + .seconds(30)) }
        order.closure = OrderClosure(reason: .cancelled)
        let word = try #require(Resolution(.paid, reason: "hotline", by: "li.wei"))
        let late = Sample.start + .seconds(9_000)
        let actions = order.receive(.operation(second.operation, .resolved(word)), at: late)
        #expect(order.operations[index].state.phase == .lateSuccess)
        #expect(actions.facts == ["resolved"] && order.followUps.isEmpty)
        let answer = PaymentStory.answer(.succeeded(remark: nil), .charge(second))
        let later: [OperationInput] = [
            .queried(.failed(reason: "timeout")), .notified(answer), .queried(.answered(answer)),
        ]
        for input in later {
            _ = order.receive(.operation(second.operation, input), at: late + .seconds(1))
            #expect(order.followUps.isEmpty, "\(input)")
        }
    }

    @Test("is not given back a second time beside the shop's own refund, when a recovery knows only the charge")
    func besideTheShop() throws {
        var before = PaymentStory()
        before.order = Self.declined
        before.take(Self.paid)
        let fact = try #require(before.actions.firstFact)
        for mayHaveBeenSent in [false, true] {
            var story = PaymentStory()
            story.order = Self.declined
            #expect(story.order.restore(fact, toldAt: before.time).isEmpty)
            story.order.suspectForgottenSends(at: Sample.start + .seconds(30))
            story.time = Sample.start + .seconds(30)
            story.ask(.refund, mayHaveBeenSent: mayHaveBeenSent)
            #expect(story.actions.facts == [mayHaveBeenSent ? "refund accepted" : "rejected: operationInProgress"])
            var sent: Set<AcquirerReference> = []
            for _ in 1...20 {
                guard let (operation, due) = story.order.nextDue else { break }
                story.time = max(story.time, due)
                story.take(.operation(operation.subject.operation, .due(.ready)))
                sent.formUnion(story.actions.sentFollowUps.map(\.reference))
                for followUp in story.actions.askedFollowUps {
                    let nothing = PaymentStory.answer(.notFound, .followUp(followUp))
                    story.take(.operation(followUp.operation, .queried(.answered(nothing))))
                }
                if operation.subject.charge != nil { story.take(Self.paid) }
            }
            // What the lost database had begun by itself is repeated under its key, or nothing is sent.
            #expect(sent.count == (mayHaveBeenSent ? 0 : 1))
        }
    }

    // Failure scenario 34.
    @Test("of which a recovery knows only the charge is asked for again, and its refund first queried under each key")
    func recovered() throws {
        var before = PaymentStory()
        before.order = Self.declined
        before.take(Self.paid)
        let fact = try #require(before.actions.firstFact)
        var story = PaymentStory()
        story.order = Self.declined
        #expect(story.order.restore(fact, toldAt: before.time).isEmpty)
        story.order.suspectForgottenSends(at: Sample.start + .seconds(1_500))
        story.time = Sample.start + .seconds(1_500)
        story.fire(at: story.time)
        #expect(story.actions.asks && story.actions.facts == ["refund accepted"])
        story.take(Self.paid)
        #expect(story.actions.isEmpty)
        #expect(story.last.state.lastSuspect == 2)
        var asked: Set<AcquirerReference> = []
        for _ in 0...2 {
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty)
            asked.formUnion(story.actions.askedFollowUps.map(\.reference))
            story.queried(.notFound)
        }
        #expect(asked == Set(story.last.possibleKeys) && asked.count == 3)
        #expect(story.last.state.next?.kind == .query)
    }

    @Test("that could not be given back after a recovery is told once, whatever is answered later")
    func failedOnce() throws {
        var before = PaymentStory()
        before.order = Self.declined
        before.take(Self.paid)
        let fact = try #require(before.actions.firstFact)
        var story = PaymentStory()
        story.order = Self.declined
        #expect(story.order.restore(fact, toldAt: before.time).isEmpty)
        story.order.suspectForgottenSends(at: Sample.start + .seconds(30))
        story.time = Sample.start + .seconds(30)
        story.fire(at: story.time)
        story.fire()
        story.queried(.failed(.refused))
        #expect(story.actions.alarms == [.refundFailed] && story.phase == .declined)
        for _ in 1...2 {
            story.queried(.failed(.refused))
            #expect(story.actions.alarms.isEmpty)
        }
    }
}
