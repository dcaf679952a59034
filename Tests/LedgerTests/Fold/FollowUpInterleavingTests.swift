import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Any mixture of the producers' streams gives the same books after captures, voids and refunds")
struct FollowUpInterleavingTests {
    /// What the gateway published of an order that was drawn at random: a charge, and follow-ups that the gateway's rules
    /// allow.
    private struct Story {
        let history: History
        let payment: PaymentID
        let offer: OfferTotals
        var facts: [Fact]
        private var command: UInt8 = 0
        private var held: Int64 = 0
        private var captured: Int64 = 0
        private var refunded: Int64 = 0
        private var transition: Int64 = 2

        init(_ seed: UInt8, _ offer: OfferTotals, _ random: inout SplitMix64) {
            var history = History(Shop.orderID(seed))
            history.partitions = 1
            (self.history, payment, self.offer) = (history, Shop.paymentID(seed), offer)
            let isSale = Bool.random(using: &random)
            facts = history.payment(
                payment, revision: 2, amount: offer.amount, .accepted, isSale ? .succeeded : .authorised)
            if isSale { captured = offer.total } else { held = offer.total }
            for _ in 0..<Int.random(in: 0..<7, using: &random) { next(isSale, &random) }
        }

        /// The fen that remain to be taken, and to be given back.
        var left: Int64 { captured - refunded }
        var isHeld: Bool { held > 0 && captured == 0 }

        private mutating func next(_ isSale: Bool, _ random: inout SplitMix64) {
            command += 1
            let isDone = Int.random(in: 0..<4, using: &random) > 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where isHeld:
                let amount = Int64.random(in: 1...held * 115 / 100, using: &random)
                add(.capture, nil, amount, isDone, &random)
                if isDone { captured = amount }
            case 1 where isHeld && command > 2:
                add(.void, .authorisation, held, isDone, &random)
                if isDone { held = 0 }
            case 1 where captured > 0 && refunded == 0:
                add(.void, isSale ? .sale : .capture, captured, isDone, &random)
                if isDone { captured = 0 }
            case 2 where isHeld && command > 3:
                transition += 1
                facts.append(
                    history.fact(
                        payment, transition: transition, revision: 2, amount: offer.amount, .authorisationExpired))
                held = 0
            case 2...3 where left > 0:
                let amount = Bool.random(using: &random) ? left : Int64.random(in: 1...left, using: &random)
                add(.refund, nil, amount, isDone, &random)
                if isDone { refunded += amount }
            default: break
            }
        }

        private mutating func add(
            _ kind: FollowUpKind, _ target: OperationKind?, _ amount: Int64, _ isDone: Bool, _ random: inout SplitMix64
        ) {
            var events: [FollowUpEvent] = [.accepted]
            if Bool.random(using: &random) { events.append(.unknown) }
            events.append(isDone ? .succeeded : .failed)
            facts += events.enumerated().map { index, event in
                history.followUp(
                    kind, command, of: payment, target: target, transition: Int64(index + 1),
                    amount: Money(minorUnits: amount, currency: .cny), event)
            }
        }
    }

    private static func stories(_ random: inout SplitMix64) throws -> [Story] {
        try (UInt8(1)...8).map { seed in
            let offer = try Shop.totals(
                subtotal: Int64.random(in: 500...20_000, using: &random),
                discount: Int64.random(in: 0...400, using: &random),
                shipping: Int64.random(in: 0...900, using: &random), tax: Int64.random(in: 0...900, using: &random))
            return Story(seed, offer, &random)
        }
    }

    /// Mixes the streams, keeping each one's order, and repeats some facts at random later places.
    private static func mixture(_ streams: [[Fact]], _ random: inout SplitMix64) -> [Fact] {
        var rest = streams.map { $0[...] }
        var mixed: [Fact] = []
        while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
            mixed.append(rest[index].removeFirst())
            if Int.random(in: 0..<5, using: &random) == 0, let old = mixed.randomElement(using: &random) {
                mixed.append(old)
            }
        }
        return mixed
    }

    private struct Booked: Hashable {
        let cause: EventID
        let kind: EntryKind
        let postings: [Posting]
    }

    @Test("Orders, entries and sums are the same, and each account has what the story left", arguments: 0..<300)
    func sameEnd(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let stories = try Self.stories(&random)
        let offers = try stories.flatMap {
            [$0.history.offer(1, try Shop.totals()), $0.history.offer(2, $0.offer)]
        }
        let gateway = stories.flatMap(\.facts)
        let (expected, first) = PartitionBook.reading(offers + gateway, partition: 0)
        let facts = Self.mixture([offers, gateway], &random)
        let (book, rows) = PartitionBook.reading(facts, partition: 0)
        #expect(rows.flatMap(\.faults).isEmpty)
        #expect(book.fold.orders == expected.fold.orders)
        #expect(book.fold.orders.values.allSatisfy { $0.parked.isEmpty })
        func booked(_ rows: [JournalRow]) -> [Booked: Int] {
            Dictionary(
                rows.flatMap(\.entries).map { (Booked(cause: $0.cause, kind: $0.kind, postings: $0.postings), 1) },
                uniquingKeysWith: +)
        }
        #expect(booked(rows) == booked(first))
        #expect(rows.flatMap(\.entries).allSatisfy { Entry.isBalanced($0.postings) })
        var audit = AmountAudit(partition: 0)
        var sums = BookSums()
        for state in book.fold.orders.values { audit.add(state) }
        for entry in rows.flatMap(\.entries) { sums.add(entry) }
        #expect(audit.captures.isEmpty && audit.refunds.isEmpty)
        #expect(audit.differences(from: sums).isEmpty)
        #expect(sums.balances(of: .acquirerReceivable)["CNY"] ?? 0 == stories.reduce(0) { $0 + $1.left })
        #expect(sums.trialBalance?.totals.allSatisfy(\.isBalanced) == true)
        for story in stories where story.left == 0 {
            let own = rows.flatMap(\.entries).filter { $0.payment == story.payment }.flatMap(\.postings)
            for account in [Account.sales, .discounts, .shipping, .taxPayable] {
                #expect(own.filter { $0.account == account }.reduce(0) { $0 + $1.amount } == 0)
            }
        }
    }
}
