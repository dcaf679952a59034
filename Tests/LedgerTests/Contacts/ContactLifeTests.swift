import Contracts
import Ledger
import Testing

@Suite("How long a contact is kept")
struct ContactLifeTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_700_000_000

    /// Seconds from the contact's arrival to the check, and to the next one; nil: it is erased.
    @Test(
        arguments: [
            // The contact of the payment that paid stays for the merchant's 100 days.
            (.paid, true, 60, 60 + 30 * day), (.paid, true, 90 * day, 100 * day), (.paid, true, 100 * day, nil),
            (.review, true, 60, 60 + 30 * day),
            // Others go when the order has ended.
            (.paid, false, 60, nil), (.cancelled, false, 60, nil), (.expired, false, 60, nil),
            (.cancelled, true, 60, nil),
            // While it is open, the checks come at growing intervals.
            (.open, false, 60, 120), (.open, false, 600, 900), (.open, false, 10 * day, 11 * day),
            (.open, false, 100 * day, nil), (.review, false, 600, 900),
            // The books do not have the order yet.
            (nil, false, 60, 120), (nil, false, 8 * day - 1, 9 * day - 1), (nil, false, 8 * day, nil),
        ] as [(OrderStatus?, Bool, Int64, Int64?)])
    func decides(_ order: OrderStatus?, _ isPaying: Bool, _ age: Int64, _ next: Int64?) {
        let life = ContactLife(
            receivedAt: Timestamp(seconds: Self.start), retention: .seconds(100 * Self.day), order: order,
            isPaying: isPaying, isErased: false)
        let decision = next.map { ContactLife.Decision.keep(until: Timestamp(seconds: Self.start + $0)) } ?? .erase
        #expect(life.decision(at: Timestamp(seconds: Self.start + age)) == decision)
    }

    @Test("Nothing is kept of an order whose contacts were erased", arguments: OrderStatus.allCases)
    func erased(_ order: OrderStatus) {
        let life = ContactLife(
            receivedAt: Timestamp(seconds: Self.start), retention: .seconds(Self.day), order: order, isPaying: true,
            isErased: true)
        #expect(life.decision(at: Timestamp(seconds: Self.start)) == .erase)
    }
}
