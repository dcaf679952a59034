import Charging
import Contracts
import Testing

@testable import ChargeGateway

@Suite("Slots at an acquirer")
struct RequestLimiterTests {
    private func due(_ account: String, _ step: NextStep.Kind = .send, at acquirer: String = "unionpay") -> DueOrder {
        DueOrder(order: Shop.order(), partition: 0, step: step, acquirer: acquirer, account: account)
    }

    // Failure scenario 43.
    @Test("are bounded for a merchant, for the acquirer, and apart for each kind")
    func bounds() {
        let slots = RequestLimiter(RequestLimiter.Limits(acquirer: 3, account: 2))
        #expect(slots.acquire(for: due("a")) && slots.acquire(for: due("a")))
        #expect(!slots.acquire(for: due("a")), "a merchant's share is two")
        #expect(slots.acquire(for: due("b")))
        #expect(!slots.acquire(for: due("c")), "the acquirer's are three")
        #expect(slots.acquire(for: due("a", .query)))
        #expect(slots.acquire(for: due("a", at: "another")))
    }

    @Test("tell how much is taken where there is least room")
    func share() {
        let slots = RequestLimiter(RequestLimiter.Limits(acquirer: 8, account: 4))
        #expect(slots.takenShare(of: .send) == 0)
        let own = (1...3).map { _ in due("a") }
        for due in own { #expect(slots.acquire(for: due)) }
        #expect(slots.takenShare(of: .send) == 0.75, "one merchant cannot take all places of the acquirer")
        #expect(slots.takenShare(of: .query) == 0)
        for account in ["b", "c", "d", "e"] { #expect(slots.acquire(for: due(account))) }
        #expect(slots.takenShare(of: .send) == 0.875)
        for due in own { slots.release(due) }
        #expect(slots.takenShare(of: .send) == 0.5)
    }

    @Test("come back")
    func giveBack() {
        let slots = RequestLimiter(RequestLimiter.Limits(acquirer: 2, account: 2))
        let first = due("a")
        #expect(slots.acquire(for: first) && slots.acquire(for: due("b")))
        #expect(!slots.acquire(for: due("c")))
        slots.release(first)
        #expect(slots.acquire(for: due("c")))
        #expect(!slots.acquire(for: due("c")))
    }
}
