import Contracts
import Testing

@testable import Charging

@Suite("A token that names no order, sent for two")
struct TwoOrdersTests {
    private let charges = TwoOrdersSimulation.charges

    @Test(
        "in every interleaving pays the one order that the acquirer charged, once",
        arguments: [false, true], [false, true])
    func interleavings(namesOrder: Bool, isRestored: Bool) async {
        var frontier: Set = [TwoOrdersSimulation(namesOrder: namesOrder, isRestored: isRestored)]
        var ends: Set<[OrderID]> = []
        for _ in 1...8 {
            var next: Set<TwoOrdersSimulation> = []
            for simulation in frontier {
                await Task.yield()
                for event in simulation.possible {
                    var after = simulation
                    after.happen(event)
                    guard !after.isBroken else {
                        Issue.record("\(after.paid) are paid, the acquirer holds \(after.book) by \(event)")
                        return
                    }
                    next.insert(after)
                }
            }
            frontier = next
        }
        for simulation in frontier {
            var after = simulation
            after.settle()
            #expect(!after.isBroken && after.book.count <= 1)
            #expect(after.paid.count == (namesOrder ? after.book.count : 0), "who was charged has its order")
            ends.insert(after.paid)
        }
        // Either order may be the one; which, the acquirer decides.
        #expect(ends.isSuperset(of: namesOrder ? charges.map { [$0.order] } : [[]]))
    }

    @Test("is one transaction at the acquirer: its key names no order")
    func key() {
        #expect(charges[0].reference == charges[1].reference)
        #expect(charges[0].operation != charges[1].operation && charges[0].reserved != charges[1].reserved)
    }

    @Test(
        "is paid only by an answer that names the order, also where the answer to the send says paid",
        arguments: [true, false])
    func naming(isSigned: Bool) {
        let sample = Sample.charge()
        let charge = Charge(
            order: sample.order, payment: sample.payment, merchant: sample.merchant, revision: 1, amount: sample.amount,
            expiresAt: sample.expiresAt, signedAt: sample.signedAt, isOrderSigned: isSigned, card: sample.card,
            route: sample.route, reference: sample.reference)
        let silent = Sample.answer(.succeeded(remark: nil))
        var machine = Sample.submitted(charge)
        #expect(
            machine.receive(.queried(.answered(silent)), at: Sample.start + .seconds(3)).facts
                == [isSigned ? "succeeded" : "conflicted"])

        machine = Sample.submitted(charge)
        let named = Sample.answer(.succeeded(remark: nil), echoed: EchoedFields(reserved: charge.reserved))
        let actions = machine.receive(.sent(attempt: 1, .answered(named)), at: Sample.start + .seconds(1))
        #expect(actions.facts == (isSigned ? ["succeeded"] : []))
        #expect(machine.state.phase == (isSigned ? .succeeded : .pending))
        if !isSigned {
            #expect(
                machine.receive(.queried(.answered(named)), at: Sample.start + .seconds(3)).facts == ["succeeded"])
        }
    }

    @Test("goes to no acquirer that does not name the order it charged")
    func namingNoOrder() {
        var policy = ChargingPolicy()
        policy.acquirersNamingNoOrder = ["unionpay"]
        let (machine, actions) = OperationMachine.begin(charges[0], at: Sample.start, policy: policy)
        #expect(actions.events == [.declined(.noRoute, nil)])
        #expect(machine.dueAt == nil)
        #expect(OperationMachine.begin(Sample.charge(), at: Sample.start, policy: policy).1.facts == ["accepted"])
    }

    @Test("follows from the ticket alone")
    func ticket() {
        for allows in [true, false] {
            let ticket = OrderTicket(
                order: Sample.order, merchant: Sample.merchant, revision: 1, amount: Sample.amount, networks: [],
                routes: [], allowsMissingApplicationData: allows, linesDigest: Array(repeating: 0, count: 32),
                partitions: 1, issuedAt: Sample.start, expiresAt: Sample.start + .seconds(60))
            let charge = Charge(
                ticket: ticket, payment: Sample.charge().payment, signedAt: Sample.start, card: nil, route: nil)
            #expect(charge.isOrderSigned == !allows)
        }
    }
}
