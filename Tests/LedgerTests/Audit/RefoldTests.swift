import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Folding again in bounded memory")
struct RefoldTests {
    /// A partition of twelve orders, mixed with a seed, with duplicates, early facts, and commands that two orders
    /// contain.
    private static func records(seed: UInt64) throws -> [JournalRecord] {
        var random = SplitMix64(seed: seed)
        var streams: [[Fact]] = []
        for number in UInt8(1)...12 {
            var history = History(Shop.orderID(number))
            history.partitions = 1
            let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
            let payment = Shop.paymentID(number)
            streams.append([history.offer(1, first), history.offer(2, second)])
            streams.append(
                history.payment(payment, amount: first.amount, .accepted, number % 3 == 0 ? .declined : .succeeded))
            streams.append([history.commandRejected(number / 2)])
        }
        var mixed: [Fact] = []
        while let index = streams.indices.filter({ !streams[$0].isEmpty }).randomElement(using: &random) {
            mixed.append(streams[index].removeFirst())
            if Int.random(in: 0..<4, using: &random) == 0, let again = mixed.randomElement(using: &random) {
                mixed.append(again)
            }
        }
        let junk = JournalRecord(
            position: JournalPosition(partition: 0, offset: Int64(mixed.count)), key: nil, headers: [], value: [1])
        return mixed.enumerated().map { $1.record(at: Int64($0), partition: 0) } + [junk]
    }

    @Test(
        "With few held orders, the result is that of a fold that holds all",
        arguments: [0, 1, 3, 1_000], [1, 2, 7, 1_000])
    func bounded(_ capacity: Int, _ page: Int) throws {
        for seed in UInt64(0)..<10 {
            let records = try Self.records(seed: seed)
            var book = PartitionBook(partition: 0)
            let rows = records.map { book.append($0) }
            var refold = Refold(partition: 0, key: .fixed, capacity: capacity)
            var again: [JournalRow?] = []
            let read = records.map { ReadRecord($0) }
            for start in stride(from: 0, to: read.count, by: page) {
                let part = Array(read[start..<min(start + page, read.count)])
                let needs = refold.needs(part, rows: part.count)
                let earlier = zip(read, rows).prefix(start).filter { record, row in
                    row?.disposition == .applied || row?.disposition == .parked
                        ? record.fact.map { needs.contains($0.fact.order) } == true : false
                }
                again += refold.fold(part, earlier: earlier.map(\.0))
            }
            #expect(again == rows)
            refold.close()
            #expect(refold.book.chain.head == book.chain.head)
            #expect(refold.book.duplicates == book.duplicates)
            var sums = OrderSums(key: .fixed)
            for state in book.fold.orders.values { sums.add(state, status: state.status?.rawValue) }
            #expect(refold.sums == sums)
            #expect(refold.orders == Int64(book.fold.orders.count))
            #expect(refold.payments == Int64(book.fold.orders.values.reduce(0) { $0 + $1.payments.count }))
            #expect(refold.waiting.count == Int64(book.fold.orders.values.reduce(0) { $0 + $1.parked.count }))
        }
    }

    @Test("Orders that are held are not read again; dropped orders are")
    func needs() throws {
        let totals = try Shop.totals()
        let facts = [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded)
        let read = facts.enumerated().map { ReadRecord($1.record(at: Int64($0))) }
        for (capacity, orders) in [(0, [Shop.order]), (1, [])] {
            var refold = Refold(partition: Shop.partition, key: .fixed, capacity: capacity)
            let first = refold.needs(Array(read[..<2]), rows: 2)
            #expect(first.isEmpty, "nothing comes before a partition's beginning")
            _ = refold.fold(Array(read[..<2]), earlier: [])
            let second = refold.needs(Array(read[2...]), rows: read.count - 2)
            #expect(second == orders)
        }
    }

    @Test("After a row that is not folded, all orders are read again: the row may be part of them")
    func unfolded() throws {
        let read = [ReadRecord(History().offer(1, try Shop.totals()).record(at: 0))]
        var refold = Refold(partition: Shop.partition, key: .fixed)
        let (orders, later) = (refold.needs(read, rows: 2), refold.needs(read, rows: 1))
        #expect(orders == [Shop.order])
        #expect(later == [Shop.order])
    }
}
