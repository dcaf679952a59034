import Contracts
import Testing

@testable import Charging

@Suite("An authorisation")
struct AuthorisationTests {
    private let end = Sample.start + .seconds(30 * 86_400)

    @Test("closes its order, and tells until when the amount is held")
    func authorised() {
        let story = PaymentStory(.authorisation)
        #expect(story.facts == ["accepted", "authorised"])
        guard case .authorised(let result, _, _, let expiresAt) = story.actions.events.first else {
            Issue.record("no authorisation was told")
            return
        }
        #expect(expiresAt == end && result.serial == "1")
        #expect(story.order.closure?.reason == .paid)
        #expect(story.order.operations[0].state.serial == "1")
    }

    // Failure scenario 39.
    @Test("that nobody captures ends by itself, at its own time, once")
    func expires() throws {
        var story = PaymentStory(.authorisation)
        #expect(story.order.nextDue?.time == end)
        story.fire(at: end + .seconds(5_000))
        #expect(story.actions.facts == ["authorisationExpired"])
        let fact = try #require(story.actions.firstFact)
        #expect(story.order.time(of: fact) == end)
        #expect(story.order.nextDue == nil)
        story.take(.operation(story.order.operations[0].subject.operation, .due(.ready)))
        #expect(story.actions.isEmpty)
        story.ask(.capture)
        #expect(story.actions.facts == ["rejected: authorisationExpired"])
        story.ask(.void)
        #expect(story.actions.facts == ["rejected: authorisationExpired"])
    }

    @Test("does not end before its time, nor while a capture or a void may still end it otherwise")
    func held() {
        var story = PaymentStory(.authorisation)
        story.take(.operation(story.order.operations[0].subject.operation, .due(.ready)), after: .seconds(86_400))
        #expect(story.actions.isEmpty)
        for kind in [FollowUpKind.capture, .void] {
            var story = PaymentStory(.authorisation)
            story.ask(kind)
            story.fire(at: story.time)
            story.sent(.unknown(reason: "timeout"))
            story.take(
                .operation(story.order.operations[0].subject.operation, .due(.ready)), after: .seconds(31 * 86_400))
            #expect(!story.facts.contains("authorisationExpired"))
            story.queried(.failed(.refused))
            #expect(story.order.nextDue?.time == end)
            story.fire()
            #expect(story.facts.last == "authorisationExpired")
        }
    }

    @Test(
        "that succeeds too late is voided by itself, once; when that fails, a person is told and the hold ends by its time"
    )
    func late() {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge(kind: .authorisation)
        _ = order.receive(.charge(charge), at: Sample.start)
        _ = order.receive(.operation(charge.operation, .due(.ready)), at: Sample.start)
        let declined = PaymentStory.answer(.declined(.issuerDeclined), .charge(charge))
        _ = order.receive(.operation(charge.operation, .sent(attempt: 1, .answered(declined))), at: Sample.start)
        let paid = PaymentStory.answer(.succeeded(remark: nil), .charge(charge))
        let late = Sample.start + .seconds(60)
        let actions = order.receive(.operation(charge.operation, .queried(.answered(paid))), at: late)
        #expect(actions.facts == ["lateAuthorised", "void accepted"])
        #expect(order.followUps[0].subject.followUp?.target == .authorisation)
        #expect(order.receive(.operation(charge.operation, .queried(.answered(paid))), at: late).facts.isEmpty)
        let id = order.followUps[0].subject.operation
        _ = order.receive(.operation(id, .due(.ready)), at: late)
        let refused = PaymentStory.answer(.failed(.refused), order.followUps[0].subject)
        let end = order.receive(.operation(id, .sent(attempt: 1, .answered(refused))), at: late)
        #expect(end.facts == ["void failed"] && end.alarms == [.refundFailed])
        #expect(order.nextDue?.time == self.end)
    }

    @Test("is declined where the acquirer takes none")
    func unsupported() {
        var policy = ChargingPolicy()
        policy.unsupported = ["unionpay": [.authorisation]]
        let (machine, actions) = OperationMachine.begin(
            Sample.charge(kind: .authorisation), at: Sample.start, policy: policy)
        #expect(machine.state.phase == .declined && actions.events == [.declined(.noRoute, nil)])
    }
}
