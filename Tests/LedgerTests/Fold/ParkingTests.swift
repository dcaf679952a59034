import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Facts that come early")
struct ParkingTests {
    private let history = History()

    @Test("A success of revision 2 waits for its offer, then posts at the offer's place")
    func earlySuccess() throws {
        let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
        let paid = history.payment(revision: 2, amount: second.amount, .accepted, .succeeded)
        let (book, rows) = PartitionBook.reading([history.offer(1, first)] + paid + [history.offer(2, second)])
        #expect(rows.map(\.disposition) == [.applied, .parked, .parked, .applied])
        let entry = try #require(rows.last?.entries.first)
        #expect(entry.position.offset == 3)
        #expect(entry.cause == paid[1].id)
        #expect(book.fold.orders[Shop.order]?.status == .paid)
        #expect(book.fold.orders[Shop.order]?.parked.isEmpty == true)
    }

    @Test("Everything waits for the order to be opened", arguments: [0, 1, 2])
    func unopened(_ which: Int) throws {
        let totals = try Shop.totals()
        let facts = [
            history.commandRejected(1), history.closed(.expired), history.offer(2, totals),
        ]
        let (early, rows) = PartitionBook.reading([facts[which]])
        #expect(rows.map(\.disposition) == [.parked])
        #expect(early.fold.orders[Shop.order]?.status == nil)
        let (late, _) = PartitionBook.reading([facts[which], history.offer(1, totals)])
        let (inOrder, _) = PartitionBook.reading([history.offer(1, totals), facts[which]])
        #expect(late.fold.orders == inOrder.fold.orders)
    }

    @Test("More facts than one record can release wait for the order's next one")
    func many() throws {
        let early: [Fact] = (0...Fold.mostReleased).map { number in
            let command = CommandID(hash: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) })
            return .commandRejected(
                CommandRejected(
                    order: history.order, merchant: history.merchant, command: command,
                    commandType: CommandType.cancel.rawValue, reason: .chargeInProgress))
        }
        let (book, _) = PartitionBook.reading(early + [history.offer(1, try Shop.totals())])
        #expect(book.fold.orders[Shop.order]?.parked.count == 1)
        let (next, _) = PartitionBook.reading(
            early + [history.offer(1, try Shop.totals()), history.offer(2, try Shop.totals(shipping: 2_000))])
        #expect(next.fold.orders[Shop.order]?.parked.isEmpty == true)
    }

    // Failure scenario 46.
    @Test("A gap in a payment's transitions waits for the missing one")
    func gap() throws {
        let totals = try Shop.totals()
        let paid = history.payment(amount: totals.amount, .accepted, .unknown, .succeeded)
        let (book, rows) = PartitionBook.reading([history.offer(1, totals), paid[0], paid[2]])
        #expect(rows.last?.disposition == .parked)
        #expect(book.fold.orders[Shop.order]?[Shop.paymentID(1)]?.status == .accepted)
        let (healed, _) = PartitionBook.reading([history.offer(1, totals), paid[0], paid[2], paid[1]])
        #expect(healed.fold.orders[Shop.order]?.status == .paid)
    }

    @Test("A waiting fact that contradicts what is known is a fault of the row that released it")
    func impossible() throws {
        let totals = try Shop.totals()
        let tale = history.payment(amount: totals.amount, .accepted, .declined, .succeeded)
        let (book, rows) = PartitionBook.reading(tale + [history.offer(1, totals)])
        let row = try #require(rows.last)
        #expect(row.disposition == .applied)
        #expect(row.faults.map(\.source.offset) == [2])
        #expect(row.faults.map(\.code) == ["illegalTransition"])
        #expect(row.entries.isEmpty)
        #expect(book.fold.orders[Shop.order]?[Shop.paymentID(1)]?.status == .declined)
        #expect(book.fold.orders[Shop.order]?.parked.isEmpty == true)
    }
}
