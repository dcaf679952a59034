import Contracts
import Testing

@testable import Charging

@Suite("A follow-up whose database lost its last transactions")
struct FollowUpRecoveryTests {
    /// A sale and a refund that was asked for at the start, in a database that knows only the sale.
    private func lost(after passed: Duration) -> (story: PaymentStory, before: PaymentStory, command: FollowUpRequested)
    {
        var before = PaymentStory()
        let command = before.ask(.refund)
        before.fire(at: before.time)
        var story = PaymentStory()
        story.time = story.time + passed
        story.take(.followUp(command, mayHaveBeenSent: true))
        return (story, before, command)
    }

    @Test(
        "is asked for before it is sent, and in its first slot repeated under the same key", arguments: [true, false])
    func firstSlot(isKnownThere: Bool) {
        var (story, before, _) = lost(after: .seconds(30))
        #expect(story.actions.facts == ["refund accepted"] && story.actions.sentFollowUps.isEmpty)
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.reference) == [before.last.subject.reference].compactMap(\.self))
        if isKnownThere {
            story.queried(.succeeded(remark: nil))
            #expect(story.facts.last == "refund succeeded")
        } else {
            story.queried(.notFound)
            story.fire()
            #expect(story.actions.sentFollowUps.map(\.reference) == [before.last.subject.reference].compactMap(\.self))
        }
    }

    @Test("is asked for under the key of each slot that has passed; the one that is found is the operation's")
    func everySlot() {
        for found in 0...3 {
            var (story, _, _) = lost(after: .seconds(2_000))
            #expect(story.last.state.lastSuspect == 3)
            for slot in 0...found {
                story.fire()
                #expect(story.actions.askedFollowUps.map(\.attempt) == [slot] && story.actions.sentFollowUps.isEmpty)
                story.queried(slot == found ? .succeeded(remark: nil) : .notFound)
            }
            #expect(story.phase == .succeeded && story.last.subject.followUp?.attempt == found)
        }
    }

    @Test("that no slot knows is never sent before the files lack every key")
    func absent() throws {
        var (story, _, _) = lost(after: .seconds(2_000))
        for _ in 1...12 {
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty)
            story.queried(.notFound)
        }
        #expect(story.phase == .unknown)
        story.time = story.time + .seconds(3 * 86_400)
        let last = try #require(story.last.possibleKeys.last)
        story.take(.operation(story.last.subject.operation, .absentInFiles(last)))
        for slot in 0...3 {
            story.fire()
            #expect(story.actions.askedFollowUps.map(\.attempt) == [slot])
            story.queried(.notFound)
        }
        #expect(story.phase == .created)
        story.fire()
        #expect(story.actions.sentFollowUps.first.map { $0.attempt > 3 } == true)
    }

    @Test("that could not be begun now is asked for and never sent; the files end it")
    func queryOnly() throws {
        var before = PaymentStory()
        before.done(.refund, 10_000)
        let second = before.ask(.refund, 2_000)
        var story = PaymentStory(afterCommands: 9)
        // The first refund has a row without an outcome.
        story.ask(.refund, 10_000)
        story.fire(at: story.time)
        story.take(.followUp(second, mayHaveBeenSent: true), after: .seconds(30))
        #expect(story.actions.facts == ["refund accepted"] && story.last.state.isQueryOnly)
        story.fire(at: story.time)
        for _ in 1...3 {
            story.queried(.notFound)
            #expect(story.actions.sentFollowUps.isEmpty && story.last.state.next?.kind == .query)
        }
        story.time = story.time + .seconds(3 * 86_400)
        let id = story.last.subject.operation
        story.take(.operation(id, .absentInFiles(try #require(story.last.possibleKeys.last))))
        story.take(.operation(id, .due(.ready)))
        story.queried(.notFound)
        #expect(story.facts.last == "refund failed")
    }

    @Test("comes back from the journal with its keys, and every slot since is suspect")
    func journal() {
        var before = PaymentStory()
        before.ask(.refund, 700)
        guard case .record(let accepted) = before.actions.first else { return }
        var story = PaymentStory()
        #expect(story.order.restore(accepted, toldAt: before.time).isEmpty)
        story.order.suspectForgottenSends(at: Sample.start + .seconds(700))
        #expect(story.last.possibleKeys.first == before.last.subject.reference && story.last.possibleKeys.count == 2)
        #expect(story.phase == .unknown && story.last.subject.amount.minorUnits == 700)
        let restored = story.order
        #expect(story.order.restore(accepted, toldAt: before.time).isEmpty && story.order == restored)
        story.take(.followUp(before.asked))
        #expect(story.actions.isEmpty)
    }

    @Test("ends as the journal has it; another content is an alarm, and the journal is believed")
    func ends() {
        var before = PaymentStory(.authorisation)
        before.ask(.capture, 9_000)
        var journal = before.actions
        before.fire(at: before.time)
        before.sent(.succeeded(remark: nil))
        journal += before.actions
        var story = PaymentStory(.authorisation, afterCommands: 1)
        for case .record(let fact) in journal { #expect(story.order.restore(fact, toldAt: before.time).isEmpty) }
        #expect(story.phase == .succeeded && story.last.subject.reference == before.last.subject.reference)
        #expect(story.last.state.serial == before.last.state.serial)
        story.ask(.refund, 9_001)
        #expect(story.actions.facts == ["rejected: amountAboveRefundable"])
        var other = PaymentStory(.authorisation)
        other.ask(.capture, 9_000)
        other.complete(.failed(.refused))
        var alarms: [Action] = []
        for case .record(let fact) in journal { alarms += other.order.restore(fact, toldAt: before.time) }
        #expect(alarms.alarms == [.contradiction] && other.phase == .succeeded)
    }
}
