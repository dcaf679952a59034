import Charging
import Contracts
import Testing

@testable import ChargeGateway

@Suite("Slots at an acquirer")
struct SlotsTests {
    private func due(_ account: String, _ step: NextStep.Kind = .send, at acquirer: String = "unionpay") -> DueOrder {
        DueOrder(order: Shop.order(), partition: 0, step: step, acquirer: acquirer, account: account)
    }

    @Test("are bounded for a merchant, for the acquirer, and apart for each kind")
    func bounds() {
        let slots = Slots(Slots.Limits(acquirer: 3, account: 2))
        #expect(slots.take(for: due("a")) && slots.take(for: due("a")))
        #expect(!slots.take(for: due("a")), "a merchant's share is two")
        #expect(slots.take(for: due("b")))
        #expect(!slots.take(for: due("c")), "the acquirer's are three")
        #expect(slots.take(for: due("a", .query)))
        #expect(slots.take(for: due("a", at: "another")))
    }

    @Test("come back")
    func giveBack() {
        let slots = Slots(Slots.Limits(acquirer: 2, account: 2))
        let first = due("a")
        #expect(slots.take(for: first) && slots.take(for: due("b")))
        #expect(!slots.take(for: due("c")))
        slots.giveBack(first)
        #expect(slots.take(for: due("c")))
        #expect(!slots.take(for: due("c")))
    }
}
