import Contracts
import Testing

@testable import Charging

@Suite("A command below a recovery's mark, without an operation")
struct SuspectCommandTests {
    private static let id = Sample.charge().operation

    private static func taken(
        _ charge: Charge = Sample.charge(), at time: Timestamp = Sample.start, after other: OrderMachine? = nil
    ) -> (OrderMachine, [Action]) {
        var order = other ?? OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let actions = order.receive(.charge(charge, mayHaveBeenSent: true), at: time)
        return (order, actions)
    }

    @Test("is accepted, and asked for under its key before anything is sent")
    func asksFirst() {
        var (order, actions) = Self.taken()
        #expect(actions.facts == ["accepted"])
        #expect(order[Self.id]?.state.phase == .unknown)
        actions = order.receive(.operation(Self.id, .due(.ready)), at: Sample.start)
        #expect(actions.asks && actions.sends.isEmpty)
    }

    @Test("is sent when the acquirer has nothing under its key and its ticket lives")
    func sends() {
        var (order, _) = Self.taken()
        _ = order.receive(.operation(Self.id, .due(.ready)), at: Sample.start)
        _ = order.receive(.operation(Self.id, .queried(.answered(Sample.answer(.notFound)))), at: Sample.start)
        let actions = order.receive(.operation(Self.id, .due(.ready)), at: Sample.start + .seconds(1))
        #expect(actions.sends == [1])
    }

    @Test("is paid when the acquirer says so")
    func paid() {
        var (order, _) = Self.taken()
        let actions = order.receive(
            .operation(Self.id, .queried(.answered(Sample.answer(.succeeded(remark: nil))))), at: Sample.start)
        #expect(actions.facts == ["succeeded"] && order.closure?.reason == .paid)
    }

    // Failure scenario 52.
    @Test("is not declined by ourselves when its ticket has run out: it stays unknown until somebody knows")
    func expired() {
        let late = Sample.start + .seconds(3_600)
        var (order, actions) = Self.taken(at: late)
        #expect(actions.facts == ["accepted"] && order[Self.id]?.state.holdsCard == false)
        _ = order.receive(.operation(Self.id, .due(.ready)), at: late)
        actions = order.receive(.operation(Self.id, .queried(.answered(Sample.answer(.notFound)))), at: late)
        #expect(actions.sends.isEmpty && order[Self.id]?.state.phase == .unknown)
        actions = order.receive(.operation(Self.id, .due(.ready)), at: late + .seconds(7_200))
        #expect(!actions.facts.contains("declined") && order[Self.id]?.state.phase == .unknown)
    }

    @Test("beside a live charge is asked for as well, and never sent while that may pay")
    func busy() {
        let (first, _) = Self.taken()
        var (order, actions) = Self.taken(Sample.charge(2), after: first)
        let second = Sample.charge(2).operation
        #expect(actions.facts == ["accepted"])
        actions = order.receive(.operation(second, .due(.ready)), at: Sample.start)
        #expect(actions.asks)
        _ = order.receive(.operation(second, .queried(.answered(Sample.answer(.notFound)))), at: Sample.start)
        actions = order.receive(.operation(second, .due(.ready)), at: Sample.start + .seconds(60))
        #expect(actions.sends.isEmpty)
        // A third one, that nobody can have sent, is refused as ever.
        #expect(order.receive(.charge(Sample.charge(3)), at: Sample.start).facts == ["refused"])
    }

    @Test("of a closed order is refused, and what the acquirer took after all is owed back")
    func closed() {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        _ = order.receive(.close(Sample.cancel), at: Sample.start)
        var (suspect, actions) = Self.taken(after: order)
        #expect(actions.facts == ["refused"])
        actions = suspect.receive(.operation(Self.id, .due(.ready)), at: Sample.start)
        #expect(actions.asks)
        actions = suspect.receive(
            .operation(Self.id, .queried(.answered(Sample.answer(.succeeded(remark: nil))))), at: Sample.start)
        #expect(actions.facts == ["lateSuccess", "refund accepted"] && actions.alarms == [.lateSuccess])
    }

    @Test("gives its card data to an operation that the journal gave back without them")
    func adopts() {
        let charge = Sample.charge()
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        for case .record(let published) in OperationMachine.begin(charge, at: Sample.start, policy: ChargingPolicy()).1
        {
            _ = order.restore(published, toldAt: Sample.start)
        }
        order.suspectForgottenSends(at: Sample.start)
        let (taken, actions) = Self.taken(after: order)
        #expect(actions.isEmpty && taken[Self.id]?.state.holdsCard == true)
        #expect(taken[Self.id]?.state.next == NextStep(.query, at: Sample.start))
        var expected = charge
        // The journal does not tell it, and the row that came from the journal keeps it.
        expected.isOrderSigned = false
        #expect(taken[Self.id]?.charge == expected)
    }

    @Test("gives no card data of a token that names no order to an operation that believes the answer to a send")
    func adoptsNoUnsigned() {
        let policy = ChargingPolicy()
        var (machine, _) = OperationMachine.begin(Sample.charge(), at: Sample.start, .mayNotBeSentNow, policy: policy)
        var unsigned = Sample.charge()
        unsigned.isOrderSigned = false
        let isTaken = machine.adopt(unsigned, at: Sample.start)
        #expect(!isTaken && machine.charge.isOrderSigned)
        let isSignedTaken = machine.adopt(Sample.charge(), at: Sample.start)
        #expect(isSignedTaken)
    }
}
