import Contracts
import Testing

@testable import Charging

// A snapshot of the disks that is put back looks like the database that it was: our own record may lack a send.
@Suite("Attempts of which nothing was sent by our own record")
struct UnsentAttemptTests {
    private let slot = FollowUpKey.slot

    /// A refund that was not sent in its first two slots; the server of the database started at the end of the second.
    private func heldRefund() -> PaymentStory {
        var story = PaymentStory(recordSince: Sample.start + slot * 2 - .seconds(60))
        story.ask(.refund)
        story.take(.operation(story.last.subject.operation, .due(.ready)), after: slot * 2)
        return story
    }

    /// Fires until it asks, and checks for which attempt.
    private func ask(_ attempt: Int, _ story: inout PaymentStory) {
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.attempt) == [attempt])
    }

    @Test("are asked for before the next begins: one that the acquirer has done is the refund", arguments: 0...1)
    func found(attempt: Int) {
        var story = heldRefund()
        for absent in 0..<attempt {
            ask(absent, &story)
            story.queried(.notFound)
        }
        ask(attempt, &story)
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
            ask(0, &story)
            story.queried(verdict)
        }
        story.fire()
        story.queried(.succeeded(remark: nil))
        #expect(story.phase == .succeeded)
    }

    @Test("wait while the acquirer does not answer, are asked for every five minutes, and go on by themselves")
    func noAnswer() {
        var story = heldRefund()
        let id = story.last.subject.operation
        story.fire()
        for _ in 1...100 {
            let asked = story.time
            story.take(.operation(id, .queried(.failed(reason: "timeout"))))
            ask(0, &story)
            #expect(story.time == asked + .seconds(300) && story.phase == .created)
        }
        story.queried(.notFound)
        ask(1, &story)
        story.queried(.notFound)
        story.fire()
        let present = FollowUpKey.attempt(at: story.time, causedAt: Sample.start)
        #expect(present > 40)
        #expect(story.actions.sentFollowUps.map(\.attempt) == [present], "slots that began later need no query")
    }

    @Test("are asked for when the acquirer has had time to show the last moment of their slot")
    func slowToShow() {
        var story = heldRefund()
        ask(0, &story)
        story.queried(.notFound)
        ask(1, &story)
        #expect(story.time == Sample.start + slot * 2 + .seconds(60))

        var other = PaymentStory()
        other.ask(.refund)
        other.take(.operation(other.last.subject.operation, .due(.ready)), after: slot)
        ask(0, &other)
        #expect(other.time == Sample.start + slot + .seconds(60))
    }

    @Test("do not count as a send while they are asked for: no half-open circuit breaker lets them through in vain")
    func wantsToSend() {
        var story = heldRefund()
        for attempt in 0...1 {
            #expect(!story.last.wantsToSend(at: story.time))
            ask(attempt, &story)
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

    @Test("may be decided by a person when nobody has answered for two hours")
    func resolved() throws {
        let resolution = try #require(Resolution(.notCharged, reason: "hotline, case 3", by: "li.wei"))
        var story = heldRefund()
        let id = story.last.subject.operation
        story.take(.operation(id, .resolved(resolution)))
        #expect(story.actions.isEmpty && story.last.resolutionRefusal(at: story.time) != nil)
        for _ in 1...30 {
            story.fire()
            story.take(.operation(id, .queried(.failed(reason: "timeout"))))
        }
        #expect(story.phase == .created && story.last.resolutionRefusal(at: story.time) == nil)
        story.take(.operation(id, .resolved(resolution)))
        #expect(story.phase == .declined && story.facts.last == "refund resolved" && story.order.nextDue == nil)
    }

    @Test("are asked for before it fails because its time is over", arguments: [false, true])
    func tooLate(isDone: Bool) {
        var story = PaymentStory()
        story.time = Sample.start + .seconds(335 * 86_400 - 60)
        story.ask(.refund)
        story.time = story.time + .seconds(86_400)
        story.fire()
        ask(0, &story)
        #expect(story.phase == .created)
        story.queried(isDone ? .succeeded(remark: nil) : .notFound)
        if !isDone { story.fire() }
        #expect(story.facts.last == (isDone ? "refund succeeded" : "refund failed"))
    }

    @Test("of a command that is read late are those of the time before the server of the database started")
    func readLate() {
        var story = PaymentStory(recordSince: Sample.start + slot * 2 - .seconds(60))
        let command = FollowUpRequested(
            .refund, command: CommandID(hash: [UInt8](repeating: 1, count: 32)), order: Sample.order,
            merchant: Sample.merchant, payment: PaymentStory.payment, amount: Sample.amount, requestedAt: Sample.start,
            partitions: 12)
        story.take(.followUp(command), after: slot * 5)
        story.fire()
        for attempt in 0...1 {
            ask(attempt, &story)
            story.queried(.notFound)
        }
        story.fire()
        #expect(story.actions.sentFollowUps.map(\.attempt) == [5])
    }

    @Test(
        "are asked for behind one that the files prove absent, also when its time is over: a void that was done is no refund"
    )
    func provedAbsentTooLate() throws {
        let start = Sample.start + slot * 2
        var story = PaymentStory(recordSince: start)
        story.ask(.void)
        story.fire(at: story.time)
        let key = try #require(story.last.subject.reference)
        story.sent(.unknown(reason: "timeout"))
        story.time = start + .seconds(3 * 86_400)
        story.take(.operation(story.last.subject.operation, .absentInFiles(key)))
        story.fire()
        story.queried(.notFound)
        #expect(story.phase == .created && story.order.followUps.count == 1)
        story.fire()
        ask(1, &story)
        story.queried(.succeeded(remark: nil))
        #expect(story.facts.last == "void succeeded" && story.order.followUps.count == 1)
    }

    @Test(
        "decide with a query whether a refusal is that of a repetition: it may have been sent before the server started"
    )
    func refused() {
        for (since, phase) in [(Sample.start, OperationPhase.unknown), (Sample.start - .seconds(1), .declined)] {
            var story = PaymentStory(recordSince: since)
            story.ask(.refund)
            story.complete(.failed(.originalState))
            #expect(story.phase == phase)
        }
    }

    @Test("are asked for behind one that the files prove absent")
    func provedAbsent() throws {
        let start = Sample.start + .seconds(3 * 86_400)
        var story = PaymentStory(recordSince: start)
        story.ask(.refund)
        story.fire(at: story.time)
        let key = try #require(story.last.subject.reference)
        story.sent(.unknown(reason: "timeout"))
        story.time = start + .seconds(3_600)
        story.take(.operation(story.last.subject.operation, .absentInFiles(key)))
        story.fire()
        story.queried(.notFound)
        #expect(story.phase == .created && story.last.subject.followUp?.attempt == 1)
        story.fire()
        ask(1, &story)
        story.queried(.notFound)
        ask(2, &story)
        story.queried(.succeeded(remark: nil))
        #expect(story.phase == .succeeded && story.facts.last == "refund succeeded")
    }
}
