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

    @Test(
        "is not proved absent by files that were read before the recovery: they lack no key that it may have got since")
    func absentBefore() throws {
        var story = PaymentStory()
        story.ask(.refund)
        story.fire(at: story.time)
        story.sent(.unknown(reason: "timeout"))
        story.time = story.time + .seconds(3 * 86_400)
        let key = try #require(story.last.possibleKeys.last)
        story.take(.operation(story.last.subject.operation, .absentInFiles(key)))
        #expect(story.last.state.absentSince != nil)
        // The lost database began another attempt here.
        story.order.suspectForgottenSends(at: story.time)
        let last = try #require(story.last.state.lastSuspect)
        for _ in 0...last {
            story.fire()
            #expect(story.actions.sentFollowUps.isEmpty)
            story.queried(.notFound)
        }
        #expect(story.phase == .unknown && story.last.subject.followUp?.attempt == 0)
    }

    @Test("is not proved absent for attempts that are added later: the files were not read for them")
    func absentForOthers() {
        var story = PaymentStory()
        story.ask(.refund)
        let day = Duration.seconds(86_400)
        var state = story.last.state
        (state.phase, state.sends, state.isQueryOnly) = (.unknown, 1, true)
        (state.absentSince, state.queriedAt) = (Sample.start + day, Sample.start + day + .seconds(1))
        // The server of the database started again since then.
        var policy = ChargingPolicy()
        policy.recordSince = Sample.start + day * 2
        var machine = OperationMachine(story.last.subject, state: state, policy: policy)
        let nothing = PaymentStory.answer(.notFound, machine.subject)
        #expect(machine.receive(.queried(.answered(nothing)), at: Sample.start + day * 3).facts.isEmpty)
        #expect(machine.state.phase == .unknown && machine.state.lastSuspect != nil)
        #expect(machine.state.absentSince == nil)
    }

    @Test("may not be decided by a person before each attempt that may have been sent could be asked for")
    func resolvable() throws {
        var story = PaymentStory()
        story.ask(.refund)
        story.fire(at: story.time)
        story.sent(.unknown(reason: "timeout"))
        story.time = story.time + .seconds(3 * 3_600)
        #expect(story.last.resolutionRefusal(at: story.time) == nil)
        story.order.suspectForgottenSends(at: story.time)
        let policy = ChargingPolicy()
        let queries = try #require(policy.querySchedule.last)
        #expect(story.last.resolvableAt >= story.time + queries)
        #expect(story.last.resolutionRefusal(at: story.time) != nil)
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

    @Test("is not sent beside one that the lost database may have begun after it")
    func beside() {
        var (story, _, _) = lost(after: .seconds(5))
        var shop = PaymentStory(afterCommands: 20)
        let second = shop.ask(.refund)
        story.take(.followUp(second, mayHaveBeenSent: true))
        #expect(story.order.followUps.map(\.state.isQueryOnly) == [true, true])
        for _ in 1...8 {
            guard let (operation, due) = story.order.nextDue else { break }
            story.time = max(story.time, due)
            story.take(.operation(operation.subject.operation, .due(.ready)))
            #expect(story.actions.sentFollowUps.isEmpty)
            for followUp in story.actions.askedFollowUps {
                let nothing = PaymentStory.answer(.notFound, .followUp(followUp))
                story.take(.operation(followUp.operation, .queried(.answered(nothing))))
                #expect(story.actions.sentFollowUps.isEmpty)
            }
        }
    }

    @Test("comes back from the journal with its keys, and every slot since is suspect")
    func journal() throws {
        var before = PaymentStory()
        before.ask(.refund, 700)
        let accepted = try #require(before.actions.firstFact)
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

    @Test("is suspected in the slot of a clock that was ahead of this one")
    func clockAhead() {
        let (story, _, _) = lost(after: FollowUpKey.slot - .seconds(10))
        #expect(story.last.state.lastSuspect == 1)
    }

    @Test(
        "and was the refund after a failed void is begun again, first asked for; the shop's own waits for it",
        arguments: [false, true])
    func refundAfterVoid(isResolved: Bool) throws {
        var before = PaymentStory()
        let command = before.ask(.void)
        var journal = before.actions
        before.complete(.failed(.originalState))
        guard case .followUp(let failed)? = before.actions.firstFact else {
            Issue.record("\(before.actions)"); return
        }
        // A person may have said it: then the journal has their word.
        let word = try #require(Resolution(.notCharged, reason: "hotline", by: "li.wei"))
        journal.append(
            .record(
                .followUp(
                    FollowUpFact(
                        order: failed.order, merchant: failed.merchant, payment: failed.payment, kind: failed.kind,
                        target: failed.target, cause: failed.cause, causedAt: failed.causedAt,
                        transition: failed.transition, amount: failed.amount,
                        event: isResolved ? .resolved(word) : failed.event))))
        #expect(before.actions.facts == ["void failed", "refund accepted"])
        var story = PaymentStory(afterCommands: 9)
        for case .record(let fact) in journal { #expect(story.order.restore(fact, toldAt: before.time).isEmpty) }
        story.order.suspectForgottenSends(at: before.time)
        story.ask(.refund, 1)
        #expect(story.actions.facts == ["rejected: operationInProgress"])
        story.fire(at: story.time)
        #expect(story.actions.facts == ["refund accepted"])
        #expect(story.last.subject.reference == before.last.subject.reference)
        #expect(story.last.subject.followUp?.cause == .command(command.command))
        let void = story.order.followUps[0].subject
        story.take(
            .operation(void.operation, .queried(.answered(PaymentStory.answer(.failed(.originalState), void)))))
        #expect(story.actions.isEmpty && story.order.followUps.count == 2)
        story.fire()
        #expect(story.actions.askedFollowUps.map(\.kind) == [.refund] && story.actions.sentFollowUps.isEmpty)
        story.queried(.succeeded(remark: nil))
        #expect(story.facts.last == "refund succeeded")
    }

    @Test("sends no refund any more whose void was done after it had failed, nor two operations side by side")
    func contested() throws {
        for isVoidDone in [true, false] {
            var before = PaymentStory()
            before.ask(.void)
            var journal = before.actions
            before.complete(.failed(.originalState))
            journal += before.actions
            #expect(before.actions.facts == ["void failed", "refund accepted"])
            if isVoidDone {
                let void = before.order.followUps[0].subject
                let done = PaymentStory.answer(.succeeded(remark: nil), void)
                before.take(.operation(void.operation, .queried(.answered(done))))
                journal += before.actions
                #expect(before.actions.facts == ["void succeeded"])
            } else {
                // Another one that a lost database had taken beside it.
                guard case .followUp(let refund)? = journal.suffix(1).last.flatMap({ [$0].firstFact }) else {
                    Issue.record("\(journal)"); return
                }
                journal.append(
                    .record(
                        .followUp(
                            FollowUpFact(
                                order: refund.order, merchant: refund.merchant, payment: refund.payment, kind: .refund,
                                cause: .command(CommandID(hash: [UInt8](repeating: 9, count: 32))),
                                causedAt: refund.causedAt, transition: 1, amount: refund.amount, event: .accepted))))
            }
            var story = PaymentStory(afterCommands: 9)
            for case .record(let fact) in journal { _ = story.order.restore(fact, toldAt: before.time) }
            story.order.suspectForgottenSends(at: before.time)
            var asked = 0
            for _ in 1...40 {
                guard let (operation, due) = story.order.nextDue else { break }
                story.time = max(story.time, due) + .seconds(86_400)
                let id = operation.subject.operation
                story.take(.operation(id, .due(.ready)))
                #expect(story.actions.sentFollowUps.isEmpty)
                for followUp in story.actions.askedFollowUps where followUp.kind == .refund {
                    asked += 1
                    story.take(.operation(id, .absentInFiles(followUp.reference)))
                    let nothing = PaymentStory.answer(.notFound, .followUp(followUp))
                    story.take(.operation(id, .queried(.answered(nothing))))
                    #expect(story.actions.sentFollowUps.isEmpty)
                }
            }
            #expect(asked > 0)
        }
    }

    @Test("keeps the order free when the journal tells of a late hold that has ended by its time")
    func lateHoldEnded() {
        var before = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge(kind: .authorisation)
        var journal = before.receive(.charge(charge), at: Sample.start)
        func take(_ input: OperationInput, after wait: Duration) {
            journal += before.receive(.operation(charge.operation, input), at: Sample.start + wait)
        }
        take(.due(.ready), after: .zero)
        take(.sent(attempt: 1, .answered(PaymentStory.answer(.declined(.other), .charge(charge)))), after: .zero)
        take(
            .queried(.answered(PaymentStory.answer(.succeeded(remark: nil), .charge(charge)))), after: .seconds(9))
        if let void = before.followUps.first?.subject {
            journal += before.receive(.operation(void.operation, .due(.ready)), at: Sample.start + .seconds(10))
            let refused = PaymentStory.answer(.failed(.refused), void)
            journal += before.receive(
                .operation(void.operation, .sent(attempt: 1, .answered(refused))), at: Sample.start + .seconds(11))
        }
        take(.due(.ready), after: .seconds(31 * 86_400))
        #expect(journal.facts.last == "authorisationExpired" && before.closure == nil)
        for start in [before, OrderMachine(order: Sample.order, policy: ChargingPolicy())] {
            var order = start
            for case .record(let fact) in journal { _ = order.restore(fact, toldAt: Sample.start) }
            #expect(order.closure == nil)
        }
    }
}
