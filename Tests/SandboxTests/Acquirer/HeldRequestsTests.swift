import Testing

@testable import SandboxAcquirer

@Suite("Holding room")
struct HeldRequestsTests {
    private let merchant: Merchant
    private var room = HeldRequests()

    init() throws { merchant = try Merchant() }

    private func sale(_ orderID: String) -> TransactionRequest {
        TransactionRequest(merchant.sale(orderID), .sale, card: "62\(orderID)")
    }

    @Test("A hold keeps as many matching sales as it says, at its stage only")
    mutating func enter() {
        room.add(Hold(stage: .booked, match: TransactionMatch(orderIDPrefix: "a"), count: 1))
        let kept = [
            room.enter(sale("a0000001"), at: .received), room.enter(sale("b0000001"), at: .booked),
            room.enter(sale("a0000001"), at: .booked), room.enter(sale("a0000002"), at: .booked),
        ].map { $0 != nil }
        #expect(kept == [false, false, true, false])
        #expect(room.guests.count == 1)
    }

    @Test("A released sale continues")
    mutating func release() async throws {
        room.add(Hold(stage: .received, match: TransactionMatch(), count: 2))
        guard let first = room.enter(sale("a0000001"), at: .received),
            let second = room.enter(sale("b0000001"), at: .received)
        else {
            Issue.record("the hold does not keep them")
            return
        }
        let released = room.release(TransactionMatch(card: "62a0000001"), forgetting: false)
        #expect(released == 1)
        for await _ in first.wait {}
        #expect(room.guests.keys.sorted() == [second.guest])
        let rest = room.release(TransactionMatch(), forgetting: true)
        #expect(rest == 1)
        for await _ in second.wait {}
    }

    @Test("Forgotten holds keep no sale waiting")
    mutating func forget() {
        room.add(Hold(stage: .received, match: TransactionMatch(), count: 2))
        let released = room.release(TransactionMatch(), forgetting: true)
        #expect(released == 0)
        let isKept = room.enter(sale("a0000001"), at: .received) != nil
        #expect(!isKept)
    }
}
