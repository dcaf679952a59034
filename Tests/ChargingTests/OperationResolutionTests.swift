import Contracts
import Testing

@testable import Charging

@Suite("A person's word for a charge")
struct OperationResolutionTests {
    private let start = Sample.start
    private static let paid = Resolution(.paid, reason: "hotline, case 1", by: "li.wei")
    private static let notCharged = Resolution(.notCharged, reason: "hotline, case 2", by: "li.wei")

    /// An operation that was sent at the start, and of which nothing was heard.
    private func unknown() -> OperationMachine {
        var machine = Sample.accepted()
        _ = machine.receive(.due(.ready), at: start)
        _ = machine.receive(.sent(attempt: 1, .unknown(reason: "time-out")), at: start + .seconds(30))
        return machine
    }

    @Test("is not taken while a request may still arrive, or a planned query may still decide")
    func early() throws {
        let word = try #require(Self.paid)
        var policy = ChargingPolicy()
        for (schedule, tolerance) in [(7_200, 900), (10, 900)] {
            policy.querySchedule = [.seconds(schedule)]
            policy.acquirerTolerance = .seconds(tolerance)
            var machine = OperationMachine(.charge(Sample.charge()), state: unknown().state, policy: policy)
            let over = start + .seconds(max(schedule, tolerance))
            #expect(machine.resolvableAt == over)
            #expect(machine.receive(.resolved(word), at: over - .microseconds(1)).facts.isEmpty)
            #expect(machine.state.phase == .unknown)
            #expect(machine.resolutionRefusal(at: over - .microseconds(1))?.contains("\(over)") == true)
            #expect(machine.receive(.resolved(word), at: over).events == [.resolved(word)])
        }
    }

    @Test("is not taken for a charge that ends by itself, or has ended")
    func needless() throws {
        let word = try #require(Self.notCharged)
        let late = start + .seconds(86_400)
        for phase in [OperationPhase.created, .succeeded, .declined, .refused, .lateSuccess] {
            var machine = OperationMachine(
                .charge(Sample.charge()), state: OperationState(phase: phase), policy: ChargingPolicy())
            #expect(machine.resolutionRefusal(at: late) != nil)
            #expect(machine.receive(.resolved(word), at: late).isEmpty)
            #expect(machine.state.phase == phase)
        }
    }

    @Test("that money moved closes the order as paid; a second token is refused then")
    func paid() throws {
        let word = try #require(Self.paid)
        let late = start + .seconds(86_400)
        for phase in [OperationPhase.submitting, .pending, .unknown, .conflicted] {
            var state = unknown().state
            state.phase = phase
            let operation = OperationMachine(.charge(Sample.charge()), state: state, policy: ChargingPolicy())
            var order = OrderMachine(order: Sample.order, operations: [operation], policy: ChargingPolicy())
            let actions = order.receive(.operation(operation.charge.operation, .resolved(word)), at: late)
            #expect(actions.events == [.resolved(word)])
            #expect(order.closure?.reason == .paid && order.closure?.payment == operation.charge.payment)
            #expect(order.nextDue == nil)
            #expect(
                order.receive(.charge(Sample.charge(2)), at: late).events == [.refused(.orderPaid)])
        }
    }

    @Test("that money is held is followed by a query for the number that a capture or a void names")
    func serial() throws {
        let word = try #require(Self.paid)
        let late = start + .seconds(86_400)
        for verdict in [Verdict.succeeded(remark: nil), .accepted, .notFound, .unclear] {
            var machine = OperationMachine(
                .charge(Sample.charge(kind: .authorisation)), state: unknown().state, policy: ChargingPolicy())
            #expect(machine.receive(.resolved(word), at: late).events == [.resolved(word)])
            #expect(machine.dueAt == late)
            let actions = machine.receive(.due(.ready), at: late)
            #expect(actions == [.query(machine.subject)])
            let answer = Sample.answer(verdict)
            #expect(machine.receive(.queried(.answered(answer)), at: late + .seconds(1)).isEmpty)
            #expect(machine.state.phase == .succeeded && machine.state.next == nil, "\(verdict)")
            let isShown = verdict == .accepted || verdict == .succeeded(remark: nil)
            #expect(machine.state.serial == (isShown ? Sample.result().serial : nil))
        }
    }

    @Test("that came back from the journal is followed by that query too; nothing follows the hold meanwhile")
    func serialAfterRecovery() throws {
        let hold = Sample.charge(kind: .authorisation)
        let word = PaymentEvent.resolved(try #require(Self.paid))
        var machine = OperationMachine(.charge(hold), state: unknown().state, policy: ChargingPolicy())
        let fact = PaymentFact(
            order: hold.order, merchant: hold.merchant, payment: hold.payment, kind: .authorisation,
            operation: hold.operation, transition: 9, revision: hold.revision, amount: hold.amount, event: word)
        #expect(machine.restore(fact).isEmpty)
        #expect(machine.state.phase == .succeeded && machine.state.next?.kind == .query)
        var story = PaymentStory(.authorisation)
        story.order = OrderMachine(order: Sample.order, operations: [machine], policy: ChargingPolicy())
        for kind in [FollowUpKind.capture, .void] {
            story.ask(kind)
            #expect(story.actions.facts == ["rejected: operationInProgress"])
        }
        let operation = machine.subject.operation
        story.take(.operation(operation, .due(.ready)))
        story.take(.operation(operation, .queried(.answered(Sample.answer(.succeeded(remark: nil))))))
        story.ask(.capture)
        #expect(story.actions.facts == ["capture accepted"])
        #expect(story.last.subject.followUp?.originalSerial == Sample.result().serial)
    }

    @Test("keeps the number that the acquirer gave when it took the hold")
    func serialOfAcceptance() throws {
        let word = try #require(Self.paid)
        var machine = OperationMachine(
            .charge(Sample.charge(kind: .authorisation)), state: unknown().state, policy: ChargingPolicy())
        _ = machine.receive(.queried(.answered(Sample.answer(.accepted))), at: start + .seconds(60))
        #expect(machine.state.phase == .pending)
        _ = machine.receive(.resolved(word), at: start + .seconds(86_400))
        #expect(machine.state.serial == Sample.result().serial && machine.dueAt == nil)
    }

    @Test("that none moved ends it; what the acquirer says later of money is a late success and an alarm")
    func notCharged() throws {
        let word = try #require(Self.notCharged)
        let late = start + .seconds(86_400)
        var machine = unknown()
        #expect(machine.receive(.resolved(word), at: late).events == [.resolved(word)])
        #expect(machine.state.phase == .declined && machine.dueAt == nil && !machine.state.holdsCard)
        #expect(machine.receive(.resolved(word), at: late).isEmpty, "once")
        let heard = machine.receive(.notified(Sample.answer(.succeeded(remark: nil))), at: late + .seconds(1))
        #expect(heard.contains { if case .alarm(let alarm) = $0 { alarm.kind == .contradiction } else { false } })
        #expect(machine.dueAt != nil, "a query looks into it")
        let published = machine.receive(
            .queried(.answered(Sample.answer(.succeeded(remark: nil)))), at: late + .seconds(2))
        #expect(published.events == [.lateSuccess(Sample.result())])
        #expect(published.contains { if case .alarm(let alarm) = $0 { alarm.kind == .lateSuccess } else { false } })
    }

    @Test("against a notification is an alarm")
    func against() throws {
        let word = try #require(Self.notCharged)
        var machine = unknown()
        _ = machine.receive(.notified(Sample.answer(.succeeded(remark: nil))), at: start + .seconds(40))
        let actions = machine.receive(.resolved(word), at: start + .seconds(86_400))
        #expect(actions.contains { if case .alarm(let alarm) = $0 { alarm.kind == .contradiction } else { false } })
    }

    @Test("is one line of plain text with a name")
    func expected() {
        #expect(Resolution(.paid, reason: "", by: "a") == nil)
        #expect(Resolution(.paid, reason: "a", by: "") == nil)
        #expect(Resolution(.paid, reason: "a\nb", by: "a") == nil)
        #expect(Resolution(.paid, reason: "a", by: String(repeating: "a", count: 65)) == nil)
        #expect(Resolution(.paid, reason: String(repeating: "a", count: 201), by: "a") == nil)
    }
}
