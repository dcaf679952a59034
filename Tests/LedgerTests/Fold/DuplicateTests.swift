import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Facts published twice")
struct DuplicateTests {
    private let history = History()

    // Failure scenarios 14, 46.
    @Test("The same fact again makes no row and is counted")
    func identical() throws {
        let totals = try Shop.totals()
        let facts = [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
        let (once, _) = PartitionBook.reading(facts)
        let (twice, rows) = PartitionBook.reading(facts + facts)
        #expect(rows.count == 3)
        #expect(twice.rows == 3)
        #expect(twice.duplicates == 3)
        #expect(twice.nextOffset == 6)
        #expect(twice.lastOffset == 2)
        #expect(twice.chain == once.chain, "a duplicate leaves no trace in the chain")
        #expect(twice.fold.orders == once.fold.orders)
    }

    @Test("A fact that is published again may have another time and stream number")
    func envelope() throws {
        let fact = history.offer(1, try Shop.totals())
        var book = PartitionBook(partition: Shop.partition)
        let first = book.append(fact.record(at: 0))
        let second = book.append(fact.record(at: 1, time: Timestamp(seconds: 1_800_000_000)))
        #expect(first != nil)
        #expect(second == nil)
    }

    @Test("The same identifier with other content is refused, and the first content stays")
    func conflicting() throws {
        let first = history.offer(1, try Shop.totals())
        let second = history.offer(1, try Shop.totals(subtotal: 10_001))
        #expect(first.id == second.id)
        let (book, rows) = PartitionBook.reading([first, second])
        #expect(rows.last?.disposition == .refused)
        #expect(rows.last?.faults.map(\.code) == ["conflictingDuplicate"])
        #expect(book.fold.orders[Shop.order]?.offers.map(\.totals.subtotal) == [10_000])
        #expect(book.duplicates == 0)
    }

    @Test("Identifiers are unique per order: two orders may reject a command of one identifier")
    func otherOrder() throws {
        var other = History(Shop.orderID(2))
        other.partitions = 1
        var own = History()
        own.partitions = 1
        let facts = try [own, other].flatMap { [$0.offer(1, try Shop.totals()), $0.commandRejected(1)] }
        #expect(facts[1].id == facts[3].id)
        let (book, rows) = PartitionBook.reading(facts + facts, partition: 0)
        #expect(rows.map(\.disposition) == [.applied, .applied, .applied, .applied])
        #expect(book.duplicates == 4)
    }

    @Test("A parked fact is recognised as a duplicate, too")
    func parked() throws {
        let totals = try Shop.totals()
        let early = history.payment(amount: totals.amount, .accepted)
        let (book, rows) = PartitionBook.reading(early + early)
        #expect(rows.map(\.disposition) == [.parked])
        #expect(book.duplicates == 1)
    }
}
