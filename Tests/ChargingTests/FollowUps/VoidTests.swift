import Contracts
import Testing

@testable import Charging

@Suite("A void")
struct VoidTests {
    private static let whole = Sample.amount.minorUnits

    // Failure scenario 36.
    @Test("of a sale is one until 23:00 in Beijing, and a refund from then on", arguments: [-1, 0, 1])
    func day(seconds: Int) {
        var story = PaymentStory()
        story.time = PaymentStory.dayEnd + .seconds(seconds)
        let command = story.ask(.void)
        #expect(story.actions.facts == [seconds < 0 ? "void accepted" : "refund accepted"])
        #expect(story.last.subject.amount.minorUnits == Self.whole)
        #expect(story.last.subject.followUp?.cause == .command(command.command))
    }

    @Test(
        "the acquirer's day ends at 23:00 in Beijing",
        arguments: [
            ("2026-11-18T14:59:59Z", "2026-11-18T15:00:00Z"), ("2026-11-18T15:00:00Z", "2026-11-19T15:00:00Z"),
            ("2026-12-31T23:00:00Z", "2027-01-01T15:00:00Z"), ("1969-12-31T16:00:00Z", "1970-01-01T15:00:00Z"),
        ])
    func dayEnd(time: String, end: String) throws {
        let policy = ChargingPolicy()
        #expect(policy.dayEnd(of: try #require(Timestamp(rfc3339: time))) == Timestamp(rfc3339: end))
    }

    // Failure scenario 36.
    @Test("after a refund gives back what is left")
    func afterRefund() {
        var story = PaymentStory()
        story.done(.refund, 345)
        story.ask(.void)
        #expect(story.actions.facts == ["refund accepted"] && story.last.subject.amount.minorUnits == Self.whole - 345)
    }

    @Test("of a payment whose number at the acquirer is not kept is a refund")
    func withoutSerial() {
        var story = PaymentStory(serial: nil)
        story.ask(.void)
        #expect(story.actions.facts == ["refund accepted"])
    }

    @Test("that was done after it had failed is an alarm, and the refund that followed is not sent any more")
    func doneAfterAll() {
        var story = PaymentStory()
        story.ask(.void)
        story.complete(.failed(.originalState))
        #expect(story.facts.suffix(2) == ["void failed", "refund accepted"])
        let void = story.order.followUps[0].subject
        let done = PaymentStory.answer(.succeeded(remark: nil), void)
        story.take(.operation(void.operation, .notified(done)))
        #expect(story.actions.alarms == [.contradiction])
        story.take(.operation(void.operation, .queried(.answered(done))))
        #expect(story.actions.facts == ["void succeeded"] && story.actions.alarms == [.contradiction])
        for _ in 1...6 {
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty)
            story.queried(.notFound)
        }
        #expect(story.order.balance(of: PaymentStory.payment)?.refundable == 0)
        story.ask(.refund, 1)
        #expect(story.actions.facts == ["rejected: operationInProgress"])
    }

    // Failure scenario 36.
    @Test("that is proved failed is followed by a refund of the same cause, once; never while it may have been done")
    func failed() {
        var story = PaymentStory()
        let command = story.ask(.void)
        story.fire(at: story.time)
        story.sent(.unknown(reason: "timeout"))
        #expect(story.order.followUps.count == 1)
        story.fire()
        story.queried(.failed(.originalState))
        #expect(story.actions.facts == ["void failed", "refund accepted"])
        #expect(story.last.subject.followUp?.cause == .command(command.command))
        #expect(story.last.subject.amount.minorUnits == Self.whole)
        let refund = story.last.subject.reference
        #expect(refund != story.order.followUps[0].subject.reference)
        // Its end is told again by a late answer.
        let void = story.order.followUps[0].subject
        let again = PaymentStory.answer(.failed(.originalState), void)
        story.take(.operation(void.operation, .sent(attempt: 1, .answered(again))))
        #expect(story.order.followUps.count == 2)
        story.complete()
        #expect(story.facts.last == "refund succeeded")
    }

    @Test("of an authorisation that fails is followed by nothing")
    func failedHold() {
        var story = PaymentStory(.authorisation)
        story.ask(.void)
        #expect(story.last.subject.followUp?.target == .authorisation)
        story.complete(.failed(.refused))
        #expect(story.actions.facts == ["void failed"] && story.order.followUps.count == 1)
        story.ask(.capture)
        #expect(story.actions.facts == ["capture accepted"])
    }

    @Test("that nothing could be sent of before the day ended fails as too late, and the refund follows")
    func missedDay() {
        var story = PaymentStory()
        story.time = PaymentStory.dayEnd - .seconds(30)
        story.ask(.void)
        let id = story.last.subject.operation
        story.take(.operation(id, .held(until: story.time + .seconds(60))))
        #expect(story.phase == .created)
        story.fire()
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.kind) == [.void], "a lost database may have sent it")
        story.queried(.notFound)
        story.fire()
        #expect(story.actions.facts == ["void failed", "refund accepted"])
        #expect(story.actions.sentFollowUps.isEmpty)
    }

    @Test("that was done after all, when its refund is under way, is an alarm")
    func contradiction() {
        var story = PaymentStory()
        story.ask(.void)
        story.complete(.failed(.originalState))
        let void = story.order.followUps[0].subject
        story.take(.operation(void.operation, .queried(.answered(PaymentStory.answer(.succeeded(remark: nil), void)))))
        #expect(story.actions.facts == ["void succeeded"] && story.actions.alarms == [.contradiction])
    }
}
