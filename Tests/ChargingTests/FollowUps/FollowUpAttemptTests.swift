import Contracts
import Testing

@testable import Charging

@Suite("The attempts of a follow-up")
struct FollowUpAttemptTests {
    private let slot = FollowUpKey.slot

    /// A refund, asked for at the start of its story.
    private func refund() -> PaymentStory {
        var story = PaymentStory()
        story.ask(.refund)
        return story
    }

    @Test("begin with the command's time; a command that was read late begins in the slot of now")
    func first() {
        #expect(refund().last.subject.followUp?.attempt == 0)
        var story = PaymentStory()
        let command = FollowUpRequested(
            .refund, command: CommandID(hash: [UInt8](repeating: 1, count: 32)), order: Sample.order,
            merchant: Sample.merchant, payment: PaymentStory.payment, amount: Sample.amount, requestedAt: Sample.start,
            partitions: 12)
        story.take(.followUp(command), after: .seconds(1_201))
        #expect(story.last.subject.followUp?.attempt == 2)
        #expect(story.last.subject.reference?.time == Sample.start + .seconds(1_200))
    }

    // Failure scenario 31.
    @Test("are sent in their own slot; what was surely not sent goes on in the slot of now, without a fact")
    func slots() {
        var story = refund()
        let key = story.last.subject.reference
        let id = story.last.subject.operation
        story.take(.operation(id, .held(until: story.time + .seconds(30))))
        #expect(story.last.subject.reference == key)
        story.time = story.time + slot
        findNothing(of: 0...0, &story)
        story.take(.operation(id, .held(until: story.time + slot * 2)))
        #expect(story.last.subject.followUp?.attempt == 1 && story.actions.isEmpty)
        story.time = story.time + slot * 2
        findNothing(of: 1...1, &story)
        story.fire()
        #expect(story.actions.sentFollowUps.map(\.attempt) == [3])
        story.sent(.notSent(reason: "connection refused"))
        #expect(story.phase == .created)
        story.time = story.time + slot
        findNothing(of: 3...3, &story)
        story.fire()
        #expect(story.actions.sentFollowUps.map(\.attempt) == [4] && story.facts.last == "refund accepted")
    }

    /// Its timer asks for each of the attempts, and the acquirer has none of them.
    private func findNothing(of attempts: ClosedRange<Int>, _ story: inout PaymentStory) {
        story.fire()
        for attempt in attempts {
            story.fire()
            #expect(story.actions.askedFollowUps.map(\.attempt) == [attempt])
            story.queried(.notFound)
            #expect(story.phase == .created && story.actions.isEmpty)
        }
    }

    @Test("never begin while the one before may have been sent, however long ago", arguments: [1, 10, 1_000, 100_000])
    func perhapsSent(slots: Int) {
        var story = refund()
        story.fire(at: story.time)
        let key = story.last.subject.reference
        story.sent(.unknown(reason: "timeout"))
        story.time = story.time + slot * slots
        for _ in 1...5 {
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty)
            #expect(story.actions.askedFollowUps.map(\.reference) == [key].compactMap(\.self))
            story.queried(.notFound)
        }
        #expect(story.phase == .unknown && story.facts.last == "refund unknown")
    }

    @Test(
        "are repeated under their key in their slot, when a query finds nothing; the answer to a repetition proves no failure"
    )
    func resent() {
        var story = refund()
        story.fire(at: story.time)
        let key = story.last.subject.reference
        story.sent(.unknown(reason: "timeout"))
        story.fire(at: story.time + .seconds(9))
        story.queried(.notFound)
        story.fire()
        #expect(story.actions.sentFollowUps.map(\.reference) == [key].compactMap(\.self))
        story.sent(.failed(.refused))
        #expect(story.phase == .unknown)
        story.fire()
        story.queried(.succeeded(remark: nil))
        #expect(story.facts.last == "refund succeeded")
    }

    @Test("a refusal of the only send is the end")
    func refused() {
        for (verdict, reason) in [
            (Verdict.failed(.originalState), FollowUpEvent.FailureReason.originalState), (.failed(.tooLate), .tooLate),
            (.declined(.issuerDeclined), .refused), (.declined(.configuration), .configuration),
        ] {
            var story = refund()
            story.complete(verdict)
            guard case .record(.followUp(let fact)) = story.actions.first, case .failed(let told, _) = fact.event else {
                Issue.record("no failure was told")
                continue
            }
            #expect(told == reason && story.phase == .declined)
        }
        var story = refund()
        story.fire(at: story.time)
        story.sent(.unsendable(reason: "not supported"))
        #expect(story.phase == .declined && story.actions.alarms.contains(.unsendable))
    }

    @Test("the files and a query that finds nothing prove one absent: then the next begins, under another key")
    func provedAbsent() throws {
        var story = refund()
        story.fire(at: story.time)
        let key = try #require(story.last.subject.reference)
        story.sent(.unknown(reason: "timeout"))
        story.fire()
        story.time = story.time + .seconds(3 * 86_400)
        let id = story.last.subject.operation
        // The proof names another key: it says nothing.
        story.take(.operation(id, .absentInFiles(Sample.reference(PaymentStory.payment))))
        #expect(story.last.state.absentSince == nil)
        // An answer that was asked for before the files is no proof.
        story.take(.operation(id, .absentInFiles(key)))
        story.queried(.notFound)
        #expect(story.phase == .unknown && story.last.state.absentSince != nil)
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.reference) == [key])
        story.queried(.notFound)
        #expect(story.phase == .created && story.last.subject.followUp?.attempt == 432)
        story.fire()
        #expect(story.actions.sentFollowUps.count == 1 && story.last.subject.reference != key)
        // What the acquirer says of the attempt that cannot be there is a conflict.
        let stale = AcquirerAnswer(.succeeded(remark: nil), result: AcquirerResult(reference: key, code: "00"))
        story.take(.operation(id, .queried(.answered(stale))))
        #expect(story.phase == .conflicted && story.actions.alarms == [.conflict])
    }

    // Failure scenario 38.
    @Test(
        "one that was answered \"given back already\" is the last: it was done, or the files prove that it has failed")
    func alreadyReturned() throws {
        for isDone in [true, false] {
            var story = refund()
            story.fire(at: story.time)
            let key = try #require(story.last.subject.reference)
            story.sent(.alreadyReturned)
            for _ in 1...4 {
                story.fire()
                #expect(story.phase == .unknown && story.actions.sentFollowUps.isEmpty)
                if isDone { story.queried(.succeeded(remark: nil)) } else { story.queried(.notFound) }
                if isDone { break }
            }
            guard !isDone else {
                #expect(story.facts.last == "refund succeeded")
                continue
            }
            story.time = story.time + .seconds(3 * 86_400)
            story.take(.operation(story.last.subject.operation, .absentInFiles(key)))
            story.fire()
            story.queried(.notFound)
            #expect(story.facts.last == "refund failed" && story.order.nextDue == nil)
            story.ask(.refund, 1)
            #expect(story.actions.facts == ["refund accepted"], "the shop may ask again")
        }
    }

    @Test("the files prove nothing while a query or a notification shows it")
    func shown() throws {
        for isNotified in [false, true] {
            var story = refund()
            story.fire(at: story.time)
            let key = try #require(story.last.subject.reference)
            story.sent(.unknown(reason: "timeout"))
            let id = story.last.subject.operation
            if isNotified {
                let claim = PaymentStory.answer(.succeeded(remark: nil), story.last.subject)
                story.take(.operation(id, .notified(claim)))
            } else {
                story.queried(.unclear)
            }
            story.time = story.time + .seconds(3 * 86_400)
            story.take(.operation(id, .absentInFiles(key)))
            #expect(story.actions.alarms == [.contradiction])
            // Once, and it proves nothing.
            story.take(.operation(id, .absentInFiles(key)))
            #expect(story.actions.alarms.isEmpty)
            story.fire()
            story.queried(.notFound)
            #expect(story.phase == .unknown && story.last.subject.reference == key)
        }
    }

    @Test("the files prove nothing more once a notification shows it, whatever a query finds")
    func shownAfterTheFiles() throws {
        var story = refund()
        story.fire(at: story.time)
        let key = try #require(story.last.subject.reference)
        story.sent(.unknown(reason: "timeout"))
        let id = story.last.subject.operation
        story.time = story.time + .seconds(3 * 86_400)
        story.take(.operation(id, .absentInFiles(key)))
        #expect(story.last.state.absentSince != nil)
        story.take(.operation(id, .notified(PaymentStory.answer(.succeeded(remark: nil), story.last.subject))))
        #expect(story.actions.alarms == [.contradiction])
        story.fire()
        story.queried(.notFound)
        #expect(story.phase == .unknown && story.last.subject.reference == key)
    }

    @Test("a refund that is proved absent when its time is over has failed")
    func tooLate() throws {
        var story = PaymentStory()
        story.time = Sample.start + .seconds(335 * 86_400 - 60)
        story.ask(.refund)
        story.fire(at: story.time)
        let key = try #require(story.last.subject.reference)
        story.sent(.unknown(reason: "timeout"))
        story.time = story.time + .seconds(2 * 86_400)
        story.take(.operation(story.last.subject.operation, .absentInFiles(key)))
        story.fire()
        story.queried(.notFound)
        #expect(story.facts.last == "refund failed" && story.phase == .declined)
    }

    @Test("a row of the files that shows it is its success; with another amount it is a conflict")
    func settled() {
        for (amount, phase) in [(Sample.amount.minorUnits, OperationPhase.succeeded), (1, .conflicted)] {
            var story = refund()
            story.fire(at: story.time)
            story.sent(.unknown(reason: "timeout"))
            let row = AcquirerAnswer(
                .succeeded(remark: nil),
                result: AcquirerResult(reference: story.last.possibleKeys[0], code: "00", serial: "9"),
                echoed: EchoedFields(amount: amount))
            story.take(.operation(story.last.subject.operation, .settled(row)), after: .seconds(86_400))
            #expect(story.phase == phase)
        }
    }

    // Failure scenario 9.
    @Test("a charge that files and query lack was not charged; the order is free for another")
    func charge() throws {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge()
        _ = order.receive(.charge(charge), at: Sample.start)
        _ = order.receive(.operation(charge.operation, .due(.ready)), at: Sample.start)
        let key = try #require(charge.reference)
        // Not while it can still be sent.
        _ = order.receive(.operation(charge.operation, .absentInFiles(key)), at: Sample.start)
        #expect(order.operations[0].state.absentSince == nil)
        let late = Sample.start + .seconds(2 * 86_400)
        _ = order.receive(.operation(charge.operation, .absentInFiles(key)), at: late)
        _ = order.receive(.operation(charge.operation, .due(.ready)), at: late)
        let nothing = PaymentStory.answer(.notFound, .charge(charge))
        let actions = order.receive(.operation(charge.operation, .queried(.answered(nothing))), at: late)
        #expect(actions.facts == ["notCharged"] && order.operations[0].state.phase == .declined)
    }

    @Test("a hold stands in no file: of it the files prove nothing")
    func hold() throws {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let hold = Sample.charge(kind: .authorisation)
        _ = order.receive(.charge(hold), at: Sample.start)
        _ = order.receive(.operation(hold.operation, .due(.ready)), at: Sample.start)
        let key = try #require(hold.reference)
        let late = Sample.start + .seconds(2 * 86_400)
        _ = order.receive(.operation(hold.operation, .absentInFiles(key)), at: late)
        #expect(order.operations[0].state.absentSince == nil)
        // An older version believed it.
        var state = order.operations[0].state
        state.absentSince = late
        let policy = ChargingPolicy()
        order = OrderMachine(
            order: Sample.order, closure: nil,
            operations: [OperationMachine(.charge(hold), state: state, policy: policy)], followUps: [],
            answeredCommands: [], pendingExpiry: nil, policy: policy)
        _ = order.receive(.operation(hold.operation, .due(.ready)), at: late)
        let nothing = PaymentStory.answer(.notFound, .charge(hold))
        let actions = order.receive(.operation(hold.operation, .queried(.answered(nothing))), at: late)
        #expect(!actions.facts.contains("notCharged") && order.operations[0].state.phase.isLive)
    }
}
