import Contracts
import Testing

@testable import Charging

// A snapshot of the disks that is put back looks like the database that it was: our own record may lack a send.
@Suite("Attempts of which nothing was sent by our own record")
struct UnsentAttemptTests {
    private let slot = FollowUpKey.slot

    /// A refund whose account took nothing until its third slot.
    private func heldRefund() -> PaymentStory {
        var story = PaymentStory()
        story.ask(.refund)
        story.take(.operation(story.last.subject.operation, .due(.keyUnknown)), after: slot * 2)
        return story
    }

    @Test("are asked for before the next begins: one that the acquirer has done is the refund", arguments: 0...1)
    func found(attempt: Int) {
        var story = heldRefund()
        for absent in 0..<attempt {
            story.fire()
            #expect(story.actions.askedFollowUps.map(\.attempt) == [absent])
            story.queried(.notFound)
        }
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.attempt) == [attempt])
        story.queried(.succeeded(remark: nil))
        #expect(story.phase == .succeeded && story.facts.last == "refund succeeded" && story.order.nextDue == nil)
        #expect(story.last.subject.followUp?.attempt == attempt)
    }

    @Test(
        "one that the acquirer has taken is waited for, and no other begins", arguments: [Verdict.accepted, .unclear])
    func taken(verdict: Verdict) {
        var story = heldRefund()
        story.fire()
        story.queried(verdict)
        for _ in 1...3 {
            story.time = story.time + slot
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty && story.actions.askedFollowUps.map(\.attempt) == [0])
            story.queried(verdict)
        }
        story.fire()
        story.queried(.succeeded(remark: nil))
        #expect(story.phase == .succeeded)
    }

    @Test("wait as long as the acquirer does not answer, are asked for each minute, and then go on by themselves")
    func noAnswer() {
        var story = heldRefund()
        let id = story.last.subject.operation
        story.fire()
        for _ in 1...200 {
            let asked = story.time
            story.take(.operation(id, .queried(.failed(reason: "timeout"))))
            story.fire()
            #expect(
                story.time == asked + .seconds(60) && story.phase == .created && story.actions.sentFollowUps.isEmpty)
        }
        story.queried(.notFound)
        // Those of the slots that passed meanwhile as well.
        let last = FollowUpKey.attempt(at: story.time, causedAt: Sample.start) - 1
        for attempt in 1...last {
            story.fire()
            while story.actions.askedFollowUps.isEmpty { story.fire() }
            #expect(story.actions.askedFollowUps.map(\.attempt) == [attempt])
            story.queried(.notFound)
        }
        story.fire()
        #expect(story.actions.sentFollowUps.map(\.attempt) == [last + 1])
    }

    @Test("take no send from an account that lets one through, and look at no breaker")
    func wantsToSend() {
        var story = heldRefund()
        story.ask(.refund, 1)
        #expect(story.order.nextDue.map { $0.operation.wantsToSend(at: story.time) } == false)
        for _ in 0...1 {
            story.fire()
            #expect(!story.last.wantsToSend(at: story.time))
            story.queried(.notFound)
        }
        #expect(story.last.wantsToSend(at: story.time))
    }

    @Test("a notification of one is looked into")
    func notified() {
        var story = heldRefund()
        let claim = PaymentStory.answer(.succeeded(remark: nil), story.last.subject)
        story.take(.operation(story.last.subject.operation, .notified(claim)))
        story.fire()
        story.queried(.notFound)
        story.time = story.time + .seconds(3 * 3_600)
        for _ in 1...5 { story.fire() }
        #expect(story.phase == .unknown && story.facts.contains("refund unknown"))
    }

    @Test("are asked for before it fails because its time is over", arguments: [false, true])
    func tooLate(isDone: Bool) {
        var story = PaymentStory()
        story.time = Sample.start + .seconds(335 * 86_400 - 60)
        story.ask(.refund)
        story.time = story.time + .seconds(86_400)
        story.fire()
        story.fire()
        #expect(story.phase == .created && story.actions.askedFollowUps.map(\.attempt) == [0])
        story.queried(isDone ? .succeeded(remark: nil) : .notFound)
        if !isDone { story.fire() }
        #expect(story.facts.last == (isDone ? "refund succeeded" : "refund failed"))
    }
}
