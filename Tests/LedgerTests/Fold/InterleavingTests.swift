import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Any mixture of the producers' streams gives the same books")
struct InterleavingTests {
    /// Facts of several orders from two producers; each producer's list is in its order.
    private func streams() throws -> [[Fact]] {
        var (ledger, gateway): ([Fact], [Fact]) = ([], [])
        for seed in UInt8(1)...12 {
            let order = Shop.orderID(seed)
            var history = History(order)
            history.partitions = 1
            let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000 + Int64(seed)))
            ledger += [history.offer(1, first), history.offer(2, second)]
            let (one, two) = (Shop.paymentID(seed), Shop.paymentID(seed + 100))
            switch seed % 6 {
            case 0:
                gateway += history.payment(one, revision: 2, amount: second.amount, .accepted, .succeeded)
            case 1:
                gateway += history.payment(one, revision: 1, amount: first.amount, .accepted, .declined)
                gateway += history.payment(two, revision: 2, amount: second.amount, .accepted, .unknown, .succeeded)
            case 2:
                gateway += history.payment(one, revision: 2, amount: second.amount, .accepted, .declined, .lateSuccess)
            case 3:
                gateway += [history.commandRejected(seed), history.closed(.cancelled)]
                gateway += history.payment(two, revision: 2, amount: second.amount, .refused)
            case 4:
                gateway += history.payment(one, revision: 2, amount: first.amount, .accepted, .succeeded)
            default:
                gateway += history.payment(one, revision: 1, amount: first.amount, .accepted, .succeeded)
                gateway += history.payment(two, revision: 2, amount: second.amount, .accepted, .succeeded)
            }
        }
        return [ledger, gateway]
    }

    /// Mixes the streams, keeping each one's order, and repeats some facts at random later places.
    private func mixture(_ streams: [[Fact]], _ random: inout SplitMix64) -> [Fact] {
        var rest = streams.map { $0[...] }
        var mixed: [Fact] = []
        while true {
            let open = rest.indices.filter { !rest[$0].isEmpty }
            guard let index = open.randomElement(using: &random), let fact = rest[index].popFirst() else { break }
            mixed.append(fact)
            if Int.random(in: 0..<5, using: &random) == 0, let old = mixed.randomElement(using: &random) {
                mixed.append(old)
            }
        }
        return mixed
    }

    /// What is posted, without its position.
    private struct Booked: Hashable {
        let cause: EventID
        let kind: EntryKind
        let postings: [Posting]
    }

    private func booked(_ rows: [JournalRow]) -> Set<Booked> {
        Set(rows.flatMap(\.entries).map { Booked(cause: $0.cause, kind: $0.kind, postings: $0.postings) })
    }

    // Failure scenario 46.
    @Test("Orders, payments and entries are the same; every entry balances", arguments: 0..<200)
    func sameEnd(_ seed: UInt64) throws {
        let streams = try streams()
        let (expected, expectedRows) = PartitionBook.reading(streams.flatMap(\.self), partition: 0)
        var random = SplitMix64(seed: seed)
        let facts = mixture(streams, &random)
        let (book, rows) = PartitionBook.reading(facts, partition: 0)
        #expect(book.fold.orders == expected.fold.orders)
        #expect(booked(rows) == booked(expectedRows))
        #expect(rows.flatMap(\.entries).allSatisfy { Entry.isBalanced($0.postings) })
        #expect(rows.flatMap(\.faults).isEmpty)
        #expect(book.rows + book.duplicates == Int64(facts.count))
        #expect(book.fold.orders.values.allSatisfy { $0.parked.isEmpty })
    }

    @Test("Folding in batches from saved states gives the same rows", arguments: 0..<20)
    func batches(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let facts = mixture(try streams(), &random)
        let (whole, rows) = PartitionBook.reading(facts, partition: 0)
        let records = facts.records(partition: 0)
        var book = PartitionBook(partition: 0)
        var published: [EventName: JournalEvent] = [:]
        var saved: [OrderID: OrderState] = [:]
        var batchRows: [JournalRow] = []
        var index = 0
        while index < facts.count {
            let batch = index..<min(facts.count, index + Int.random(in: 1...7, using: &random))
            let events = try batch.map { try JournalEvent(records[$0]) }
            let orders = Set(events.map(\.fact.order))
            // What a database would return: the orders touched, and the digests of the identifiers repeated.
            book = PartitionBook(
                nextOffset: book.nextOffset, lastOffset: book.lastOffset, rows: book.rows,
                duplicates: book.duplicates, head: book.chain.head,
                fold: Fold(
                    partition: 0, orders: orders.compactMap { saved[$0] },
                    events: published.values.filter { known in events.contains { $0.name == known.name } }))
            for position in batch {
                if let row = book.append(records[position]) {
                    batchRows.append(row)
                }
            }
            for event in events { published[event.name] = published[event.name] ?? event }
            saved.merge(book.fold.orders) { _, new in new }
            index = batch.upperBound
        }
        #expect(batchRows == rows)
        #expect(book.chain == whole.chain)
    }
}
