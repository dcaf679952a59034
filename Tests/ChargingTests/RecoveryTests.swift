import Contracts
import Testing

@testable import Charging

@Suite("An order whose rows were lost")
struct RecoveryTests {
    private static let policy = ChargingPolicy()
    private static let later = Sample.start + .seconds(30)

    private static func fact(_ event: PaymentEvent, _ transition: Int64, of number: UInt8 = 1) -> Fact {
        let charge = Sample.charge(number)
        return .payment(
            PaymentFact(
                order: charge.order, merchant: charge.merchant, payment: charge.payment, operation: charge.operation,
                transition: transition, revision: charge.revision, amount: charge.amount, event: event))
    }

    /// What the gateway tells first.
    private static let accepted = begun().first ?? fact(.refused(.orderBusy), 1)
    private static func begun() -> [Fact] {
        OperationMachine.begin(Sample.charge(), at: Sample.start, policy: policy).1.compactMap { action in
            guard case .record(let fact) = action else { return nil }
            return fact
        }
    }

    /// Each life that the journal can tell of one payment, and the phase that it gives.
    static let lives: [([Fact], OperationPhase)] = [
        ([accepted], .unknown),
        ([accepted, fact(.unknown(reason: "no answer"), 2)], .unknown),
        ([accepted, fact(.succeeded(Sample.result(), sentAt: Sample.start, queries: 1), 2)], .succeeded),
        (
            [
                accepted, fact(.unknown(reason: "no answer"), 2),
                fact(.succeeded(Sample.result(), sentAt: Sample.start, queries: 3), 3),
            ], .succeeded
        ),
        ([accepted, fact(.declined(.insufficientFunds, Sample.result("51")), 2)], .declined),
        (
            [
                accepted, fact(.declined(.insufficientFunds, Sample.result("51")), 2),
                fact(.lateSuccess(Sample.result()), 3),
            ], .lateSuccess
        ),
        ([accepted, fact(.conflicted(reason: "another amount"), 2)], .conflicted),
        ([fact(.declined(.expired, nil), 1)], .declined),
        ([fact(.refused(.orderBusy), 1)], .refused),
    ]

    private static func restored(_ facts: [Fact], from order: OrderMachine? = nil) -> OrderMachine {
        var order = order ?? OrderMachine(order: Sample.order, policy: policy)
        for fact in facts { #expect(order.restore(fact, toldAt: Sample.start).isEmpty) }
        order.suspectForgottenSends(at: later)
        return order
    }

    @Test("comes back from the journal as it was told", arguments: lives)
    func phases(_ facts: [Fact], _ phase: OperationPhase) throws {
        let operation = try #require(Self.restored(facts).operations.first)
        #expect(operation.state.phase == phase)
        #expect(operation.state.transition == Int64(facts.count))
        #expect(!operation.state.holdsCard)
        // Known twice is known once.
        var twice = Self.restored(facts)
        for fact in facts { #expect(twice.restore(fact, toldAt: Sample.start).isEmpty) }
        #expect(twice == Self.restored(facts))
    }

    @Test("is never sent again, and asks at once while its outcome is open or money is owed back", arguments: lives)
    func asks(_ facts: [Fact], _ phase: OperationPhase) throws {
        var order = Self.restored(facts)
        let operation = try #require(order.operations.first)
        #expect((operation.state.next == NextStep(.query, at: Self.later)) == (phase == .unknown))
        #expect(operation.state.possibleSends >= 1 || phase != .unknown)
        let actions = order.receive(.operation(operation.charge.operation, .due(.ready)), at: Self.later)
        #expect(actions.sends.isEmpty && actions.asks == [.unknown, .lateSuccess].contains(phase))
        // Not even by a second copy of its command, which is too old for that.
        let again = order.receive(
            .charge(Sample.charge(expiresAfter: .seconds(10)), mayHaveBeenSent: true), at: Self.later)
        #expect(
            again.isEmpty && order.operations.count == 1 && order[operation.charge.operation]?.state.holdsCard == false)
    }

    @Test("never charges again what any beginning of its life may have charged", arguments: lives)
    func secondToken(_ facts: [Fact], _ phase: OperationPhase) {
        for count in 1...facts.count {
            var order = Self.restored(Array(facts.prefix(count)))
            let isFree = order.operations.allSatisfy { !$0.state.phase.isLive } && order.closure == nil
            let actions = order.receive(.charge(Sample.charge(2)), at: Self.later)
            #expect(actions.facts == [isFree ? "accepted" : "refused"], "\(count) of \(facts.count)")
            #expect(isFree == [.declined, .refused, .lateSuccess].contains(order.operations.first?.state.phase))
        }
    }

    @Test("goes on from the journal's last number, and tells nothing twice")
    func numbers() throws {
        var order = Self.restored([Self.accepted, Self.fact(.unknown(reason: "no answer"), 2)])
        let paid = Sample.answer(
            .succeeded(remark: nil), echoed: EchoedFields(reserved: Sample.charge().reserved))
        let actions = order.receive(
            .operation(Sample.charge().operation, .queried(.answered(paid))), at: Self.later + .seconds(60))
        guard case .record(.payment(let published)) = actions.first else {
            Issue.record("nothing was told: \(actions)")
            return
        }
        #expect(actions.facts == ["succeeded"] && published.transition == 3)
        #expect(order.closure?.reason == .paid)
    }

    @Test(
        "is not paid by an answer that names no order where the acquirer can name it: the journal does not tell what Apple signed",
        arguments: [true, false])
    func silence(namesOrder: Bool) {
        var policy = Self.policy
        if !namesOrder { policy.acquirersNamingNoOrder = ["unionpay"] }
        var order = OrderMachine(order: Sample.order, policy: policy)
        _ = order.restore(Self.accepted, toldAt: Sample.start)
        order.suspectForgottenSends(at: Self.later)
        let silent = Sample.answer(.succeeded(remark: nil))
        let actions = order.receive(
            .operation(Sample.charge().operation, .queried(.answered(silent))), at: Self.later + .seconds(60))
        #expect(actions.facts == [namesOrder ? "conflicted" : "succeeded"])
    }

    @Test("is closed, and knows the commands that had their answer")
    func closures() {
        let command = Sample.cancel.command
        let closed = Fact.orderClosed(
            OrderClosed(order: Sample.order, merchant: Sample.merchant, reason: .cancelled, command: command))
        var order = Self.restored([closed])
        #expect(order.receive(.close(Sample.cancel), at: Self.later).isEmpty)
        #expect(order.receive(.charge(Sample.charge()), at: Self.later).facts == ["refused"])
        let rejected = Fact.commandRejected(
            CommandRejected(
                order: Sample.order, merchant: Sample.merchant, command: command,
                commandType: CommandType.cancel.rawValue,
                reason: .chargeInProgress))
        order = Self.restored([rejected])
        #expect(order.receive(.close(Sample.cancel), at: Self.later).isEmpty)
    }

    @Test("that still has a row may have been sent since, whatever the row says")
    func forgottenIntent() throws {
        let order = OrderMachine(order: Sample.order, operations: [Sample.accepted()], policy: Self.policy)
        var restored = Self.restored([], from: order)
        let id = Sample.charge().operation
        var actions = restored.receive(.operation(id, .due(.ready)), at: Self.later)
        #expect(actions.sends.isEmpty && actions.asks)
        // The acquirer has nothing: the key makes it safe to send, and no answer to it proves failure.
        actions = restored.receive(
            .operation(id, .queried(.answered(Sample.answer(.notFound, code: "34")))), at: Self.later)
        #expect(restored[id]?.state.next?.kind == .send)
        actions = restored.receive(.operation(id, .due(.ready)), at: Self.later + .seconds(1))
        #expect(actions.sends == [1])
        actions = restored.receive(
            .operation(id, .sent(attempt: 1, .answered(Sample.answer(.declined(.risk), code: "61")))),
            at: Self.later + .seconds(2))
        #expect(actions.facts.isEmpty && restored[id]?.state.phase == .unknown)
        // Nor does its ticket's end.
        actions = restored.receive(.operation(id, .due(.ready)), at: Sample.start + .seconds(3_600))
        #expect(restored[id]?.state.phase == .unknown && !actions.facts.contains("declined"))
    }

    @Test("tells of a contradiction between its rows and the journal, and believes the journal")
    func contradiction() {
        var operation = Sample.submitted()
        _ = operation.receive(
            .sent(attempt: 1, .answered(Sample.answer(.declined(.risk), code: "61"))), at: Sample.start)
        var order = OrderMachine(order: Sample.order, operations: [operation], policy: Self.policy)
        let paid = Self.fact(.succeeded(Sample.result(), sentAt: Sample.start, queries: 1), 2)
        #expect(order.restore(paid, toldAt: Sample.start).alarms == [.contradiction])
        #expect(order.operations[0].state.phase == .succeeded && order.closure?.reason == .paid)
    }

    private static let unknown = fact(.unknown(reason: "no answer"), 2)
    private static let afterExpiry = Sample.start + .seconds(1_000)

    private static func ended(
        _ operation: OperationMachine, by input: OperationInput, at time: Timestamp
    ) -> OperationMachine {
        var operation = operation
        _ = operation.receive(input, at: time)
        return operation
    }

    private static func query(_ verdict: Verdict) -> OperationInput { .queried(.answered(Sample.answer(verdict))) }

    /// Ends of a database that went on from an older state, and what had been told under the same number instead.
    static let unpublished: [(String, OperationMachine, Fact)] = [
        ("expired before it was sent", ended(Sample.accepted(), by: .due(.ready), at: afterExpiry), unknown),
        (
            "expired before it was taken",
            OperationMachine.begin(Sample.charge(), at: afterExpiry, policy: policy).0, accepted
        ),
        ("refused", OperationMachine.refuse(Sample.charge(), .orderBusy, policy: policy).0, accepted),
        ("declined", ended(Sample.submitted(), by: query(.declined(.risk)), at: later), unknown),
        ("paid", ended(Sample.submitted(), by: query(.succeeded(remark: nil)), at: later), unknown),
    ]

    @Test("is open again when its rows have an end that was never told, and a query decides", arguments: unpublished)
    func unpublishedEnd(_ name: String, _ operation: OperationMachine, _ published: Fact) throws {
        let isPaid = operation.state.phase == .succeeded
        var order = OrderMachine(
            order: Sample.order,
            closure: isPaid ? OrderClosure(reason: .paid, payment: operation.charge.payment) : nil,
            operations: [operation], policy: Self.policy)
        #expect(!operation.state.phase.isLive)
        #expect(order.restore(published, toldAt: Sample.start).alarms == [.contradiction])
        order.suspectForgottenSends(at: Self.afterExpiry)
        let id = operation.charge.operation
        #expect(order[id]?.state.phase == .unknown)
        #expect(order[id]?.state.next == NextStep(.query, at: Self.afterExpiry))
        #expect(order.receive(.charge(Sample.charge(2)), at: Self.later).facts == ["refused"])
        let actions = order.receive(.operation(id, Self.query(.succeeded(remark: nil))), at: Self.afterExpiry)
        #expect(actions.facts.last == "succeeded" && actions.alarms.isEmpty)
        #expect(order.closure?.payment == operation.charge.payment)
    }

    @Test("closes as expired when the end of its charge was told and the close behind it was lost")
    func lostClose() {
        var order = OrderMachine(order: Sample.order, operations: [Sample.submitted()], policy: Self.policy)
        #expect(order.receive(.close(Sample.expire), at: Self.later).isEmpty)
        order = Self.restored([Self.fact(.declined(.insufficientFunds, Sample.result("51")), 2)], from: order)
        let id = Sample.charge().operation
        #expect(order.closure == nil && order.nextDue?.time == Self.later)
        let actions = order.receive(.operation(id, .due(.ready)), at: Self.later)
        #expect(actions.facts == ["closed: expired"] && order.closure?.reason == .expired)
        _ = order.receive(.operation(id, Self.query(.declined(.insufficientFunds))), at: Self.later)
        #expect(order.nextDue == nil)
    }
}
