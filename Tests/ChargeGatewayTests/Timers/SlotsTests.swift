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

    @Test("come back, and tell whether somebody may have waited for them")
    func giveBack() {
        let slots = Slots(Slots.Limits(acquirer: 2, account: 2))
        let first = due("a")
        #expect(slots.take(for: first))
        #expect(!slots.giveBack(first), "another one was free")
        #expect(slots.take(for: first) && slots.take(for: due("b")))
        #expect(!slots.take(for: due("c")))
        #expect(slots.giveBack(first))
        #expect(slots.take(for: due("c")))
    }

    @Test("that are free are told for each account and acquirer in use")
    func free() {
        let slots = Slots(Slots.Limits(acquirer: 3, account: 2))
        #expect(slots.free.accounts.isEmpty && slots.free.acquirers.isEmpty)
        let first = due("a")
        #expect(slots.take(for: first) && slots.take(for: due("a")) && slots.take(for: due("b")))
        let free = slots.free
        #expect(free.ofAccount == 2 && free.ofAcquirer == 3)
        #expect(free.accounts.map { "\($0.step) \($0.account) \($0.slots)" }.sorted() == ["send a 0", "send b 1"])
        #expect(free.acquirers.map(\.slots) == [0])
        _ = slots.giveBack(first)
        #expect(slots.free.acquirers.map(\.slots) == [1])
    }

    @Test("go to who waits in the database before they go to who comes new")
    func queued() {
        let slots = Slots(Slots.Limits(acquirer: 3, account: 2))
        let first = due("a")
        #expect(slots.takeUnlessQueued(first) && slots.takeUnlessQueued(due("a")))
        #expect(!slots.takeUnlessQueued(due("a")), "it waits in the database now")
        _ = slots.giveBack(first)
        #expect(!slots.takeUnlessQueued(due("a")), "the one that waits is first")
        #expect(slots.takeUnlessQueued(due("b")), "another account does not wait for it")
        let free = slots.free
        #expect(!slots.takeUnlessQueued(due("a")), "nor while a look is under way")
        #expect(!slots.looked([due("a")], of: free, isCutShort: false))
        #expect(!slots.takeUnlessQueued(due("a")), "the look found as many as are free: more may wait")
        #expect(!slots.looked([], of: slots.free, isCutShort: false))
        #expect(slots.takeUnlessQueued(due("a")))
    }

    @Test("are still waited for where a look was given none")
    func notLookedAt() {
        let slots = Slots(Slots.Limits(acquirer: 2, account: 2))
        let orders = [due("a"), due("b")]
        for order in orders { #expect(slots.takeUnlessQueued(order)) }
        #expect(!slots.takeUnlessQueued(due("a")))
        #expect(!slots.looked([], of: slots.free, isCutShort: false), "the acquirer has no room")
        #expect(slots.giveBack(orders[1]))
        #expect(!slots.takeUnlessQueued(due("a")))
        #expect(slots.takeUnlessQueued(due("b")))
    }

    @Test("that come back while a look is under way are not forgotten")
    func duringALook() {
        let slots = Slots(Slots.Limits(acquirer: 4, account: 4))
        let orders = (0..<4).map { _ in due("a") }
        for order in orders { #expect(slots.take(for: order)) }
        #expect(slots.giveBack(orders[0]), "none was left")
        let free = slots.free
        #expect(!slots.giveBack(orders[1]), "nobody is known to wait")
        #expect(slots.looked([due("a")], of: free, isCutShort: false), "the queue filled one of what are two now")
        #expect(slots.giveBack(orders[2]), "and may be longer")
        #expect(!slots.looked([], of: slots.free, isCutShort: false))
        #expect(!slots.giveBack(orders[3]))
    }
}
