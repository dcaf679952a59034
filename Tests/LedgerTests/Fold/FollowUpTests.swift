import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Folding captures, voids and refunds")
struct FollowUpTests {
    private let history = History()
    private let payment = Shop.paymentID(1)

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .cny) }

    private func authorised(_ later: [Fact] = []) throws -> [Fact] {
        let totals = try Shop.totals()
        return [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .authorised) + later
    }

    private func sold(_ later: [Fact] = []) throws -> [Fact] {
        let totals = try Shop.totals()
        return [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded) + later
    }

    private func capture(_ amount: Int64, _ command: UInt8 = 1, parts: OfferTotals? = nil) -> [Fact] {
        history.followUps(.capture, command, amount: money(amount), parts: parts, .accepted, .succeeded)
    }

    private func refund(_ amount: Int64, _ command: UInt8 = 2, parts: OfferTotals? = nil) -> [Fact] {
        history.followUps(.refund, command, amount: money(amount), parts: parts, .accepted, .succeeded)
    }

    private func void(_ target: OperationKind, _ amount: Int64, _ command: UInt8 = 3) -> [Fact] {
        history.followUps(.void, command, target: target, amount: money(amount), .accepted, .succeeded)
    }

    private func expired() throws -> Fact {
        history.fact(transition: 3, amount: try Shop.totals().amount, .authorisationExpired)
    }

    /// The balances that the entries of these facts give, by account.
    private func balances(_ rows: [JournalRow]) -> [Account: Int64] {
        var sums: [Account: Int64] = [:]
        for posting in rows.flatMap(\.entries).flatMap(\.postings) {
            sums[posting.account, default: 0] += posting.amount
        }
        return sums.filter { $0.value != 0 }
    }

    @Test("The order's status and the entries tell what became of the money")
    func statuses() throws {
        let stories: [([Fact], OrderStatus, [EntryKind])] = [
            (try authorised(), .authorised, [.hold]),
            (try authorised(capture(10_900)), .paid, [.hold, .capture, .holdReleased]),
            (try authorised(void(.authorisation, 10_900)), .voided, [.hold, .holdReleased]),
            (try authorised([expired()]), .voided, [.hold, .holdReleased]),
            (
                try authorised(capture(5_000) + void(.capture, 5_000)), .authorised,
                [.hold, .capture, .holdReleased, .captureVoided, .hold]
            ),
            (
                try authorised(capture(5_000) + void(.capture, 5_000) + void(.authorisation, 10_900, 4)), .voided,
                [.hold, .capture, .holdReleased, .captureVoided, .hold, .holdReleased]
            ),
            (
                try authorised(capture(5_000) + void(.capture, 5_000) + capture(6_000, 4)), .paid,
                [.hold, .capture, .holdReleased, .captureVoided, .hold, .capture, .holdReleased]
            ),
            (try sold(void(.sale, 10_900)), .voided, [.sale, .saleVoided]),
            (try sold(refund(10_900)), .paid, [.sale, .refund]),
            (
                try authorised(history.followUps(.capture, amount: money(10_900), .accepted, .unknown)), .authorised,
                [.hold]
            ),
            (
                try sold(history.followUps(.refund, amount: money(100), .accepted, .unknown, .resolvedDone)), .paid,
                [.sale, .refund]
            ),
            (
                try sold(history.followUps(.refund, amount: money(100), .accepted, .conflicted, .resolvedNotDone)),
                .paid,
                [.sale]
            ),
            (
                try sold(history.followUps(.refund, amount: money(100), .accepted, .failed, .succeeded)), .paid,
                [.sale, .refund]
            ),
        ]
        for (facts, status, kinds) in stories {
            let (book, rows) = PartitionBook.reading(facts)
            #expect(rows.allSatisfy { $0.disposition == .applied }, "\(rows.flatMap(\.faults))")
            #expect(book.fold.orders[Shop.order]?.status == status)
            #expect(book.fold.orders[Shop.order]?.paidBy == payment, "whatever follows, the order is this payment's")
            #expect(rows.flatMap(\.entries).map(\.kind) == kinds)
        }
    }

    @Test("An authorisation that a person calls done is held, not taken: it can be captured, voided or end by its time")
    func resolvedAuthorisation() throws {
        let amount = try Shop.totals().amount
        let held: [Fact] =
            [
                history.offer(1, try Shop.totals()),
                history.fact(transition: 1, amount: amount, kind: .authorisation, .accepted),
            ]
            + [PaymentEvent.conflicted, .resolvedPaid].enumerated().map { index, event in
                history.fact(transition: Int64(index + 2), amount: amount, kind: .authorisation, event)
            }
        let expired = history.fact(transition: 4, amount: amount, kind: .authorisation, .authorisationExpired)
        let stories: [([Fact], OrderStatus, [EntryKind])] = [
            ([], .authorised, [.hold]), (capture(10_900), .paid, [.hold, .capture, .holdReleased]),
            (void(.authorisation, 10_900), .voided, [.hold, .holdReleased]),
            ([expired], .voided, [.hold, .holdReleased]),
        ]
        for (later, status, kinds) in stories {
            let (book, rows) = PartitionBook.reading(held + later)
            #expect(rows.allSatisfy { $0.disposition == .applied }, "\(rows.flatMap(\.faults))")
            #expect(book.fold.orders[Shop.order]?.status == status)
            #expect(rows.flatMap(\.entries).map(\.kind) == kinds)
        }
    }

    @Test("A hold that came too late, and whose void failed, ends by its time; the order stays as it was")
    func lateHoldEnds() throws {
        let amount = try Shop.totals().amount
        let late: [Fact] =
            [history.offer(1, try Shop.totals())]
            + history.payment(amount: amount, .accepted, .declined, .lateAuthorised)
            + history.followUps(.void, nil, target: .authorisation, amount: amount, .accepted, .failed)
            + [history.fact(transition: 4, amount: amount, .authorisationExpired)]
        for (before, status) in [([], OrderStatus.open), ([history.closed(.cancelled)], .cancelled)] {
            let (book, rows) = PartitionBook.reading(late + before)
            #expect(rows.allSatisfy { $0.disposition == .applied }, "\(rows.flatMap(\.faults))")
            #expect(book.fold.orders[Shop.order]?.status == status)
            #expect(rows.flatMap(\.entries).map(\.kind) == [.lateHold, .holdReleased] && balances(rows).isEmpty)
        }
        let next = history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
        let (book, rows) = PartitionBook.reading(late + next)
        #expect(book.fold.orders[Shop.order]?.status == .paid && rows.flatMap(\.entries).last?.kind == .sale)
    }

    @Test("What is undone leaves nothing in any account, and what is held is in both accounts of holds")
    func undone() throws {
        let nothing: [[Fact]] = [
            try authorised(void(.authorisation, 10_900)), try authorised([expired()]),
            try authorised(capture(12_000) + void(.capture, 12_000) + void(.authorisation, 10_900, 4)),
            try authorised(capture(5_000) + refund(1, 2) + refund(4_998, 3) + refund(1, 4)),
            try sold(void(.sale, 10_900)), try sold(refund(777, 2) + refund(9_000, 3) + refund(1_123, 4)),
            try sold(refund(609, 2, parts: Shop.totals(subtotal: 9, discount: 0, shipping: 0)) + refund(10_291, 3)),
        ]
        for facts in nothing {
            let (_, rows) = PartitionBook.reading(facts)
            #expect(balances(rows).isEmpty, "\(rows.flatMap(\.entries).map(\.postings))")
        }
        let (_, rows) = PartitionBook.reading(try authorised(capture(12_000) + void(.capture, 12_000)))
        #expect(balances(rows) == [.authorisedHolds: 10_900, .holds: -10_900])
    }

    @Test(
        "A capture takes the parts that the shop gives, else each part in proportion; what exceeds the offer is goods")
    func captureParts() throws {
        let final = try Shop.totals(subtotal: 4_000, discount: 0, shipping: 800, tax: 200)
        let cases: [(Int64, OfferTotals?, [Account: Int64])] = [
            (5_000, final, [.acquirerReceivable: 5_000, .sales: -4_000, .shipping: -800, .taxPayable: -200]),
            (
                5_000, nil,
                [.acquirerReceivable: 5_000, .discounts: 229, .sales: -4_588, .shipping: -366, .taxPayable: -275]
            ),
            (
                12_000, nil,
                [.acquirerReceivable: 12_000, .discounts: 500, .sales: -11_100, .shipping: -800, .taxPayable: -600]
            ),
        ]
        for (amount, parts, expected) in cases {
            let (book, rows) = PartitionBook.reading(try authorised(capture(amount, parts: parts)))
            #expect(balances(rows) == expected)
            #expect(book.fold.orders[Shop.order]?.followUps.first?.booked?.total == amount)
        }
    }

    @Test("A refund takes the lines that the shop gives while so much is left of them")
    func refundParts() throws {
        let lines = try Shop.totals(subtotal: 5_000, discount: 0, shipping: 0, tax: 300)
        let (_, rows) = PartitionBook.reading(
            try sold(refund(5_300, 2, parts: lines) + refund(5_300, 3, parts: lines)))
        let refunds = rows.flatMap(\.entries).filter { $0.kind == .refund }.map { $0.postings.map(\.amount) }
        #expect(refunds[0] == [-5_300, 5_000, 300])
        // Goods of 45.00 are left: these lines would be more.
        #expect(refunds[1].reduce(0, +) == 0 && refunds[1] != refunds[0])
        #expect(balances(rows)[.acquirerReceivable] == 300)
    }

    @Test("Money that is owed is given back by the account that owes it")
    func owed() throws {
        let totals = try Shop.totals()
        let late = history.payment(amount: totals.amount, .accepted, .declined, .lateSuccess)
        let back = history.followUps(.refund, nil, amount: totals.amount, .accepted, .succeeded)
        let other = history.payment(amount: money(77), .accepted, .succeeded)
        let unallocated = history.followUps(.refund, 2, amount: money(77), .accepted, .succeeded)
        let second = history.payment(Shop.paymentID(2), amount: totals.amount, .accepted, .succeeded)
        let surplus = history.followUps(
            .void, 2, of: Shop.paymentID(2), target: .sale, amount: totals.amount, .accepted, .succeeded)
        for (facts, account, kind) in [
            (late + back, Account.refundsDue, EntryKind.dueRefund),
            (other + unallocated, .unallocatedReceipts, .dueRefund),
            (other + second + surplus, .refundsDue, .saleVoided),
        ] {
            let (_, rows) = PartitionBook.reading([history.offer(1, totals)] + facts)
            let entry = try #require(rows.last?.entries.first)
            #expect(entry.kind == kind)
            #expect(entry.postings.map(\.account) == [.acquirerReceivable, account])
            #expect(balances(rows)[account] == nil)
        }
        let hold = history.payment(amount: money(77), .accepted, .authorised)
        let (book, rows) = PartitionBook.reading(
            [history.offer(1, totals)] + hold + history.followUps(.capture, amount: money(77), .accepted, .succeeded))
        #expect(book.fold.orders[Shop.order]?.status == .review)
        #expect(rows.flatMap(\.entries).map(\.kind) == [.unallocatedHold, .capture, .holdReleased])
        #expect(balances(rows) == [.acquirerReceivable: 77, .unallocatedReceipts: -77])
    }

    @Test("A hold that came too late is voided and never the order's")
    func lateHold() throws {
        let totals = try Shop.totals()
        let facts = history.payment(amount: totals.amount, .accepted, .declined, .lateAuthorised)
        let void = history.followUps(.void, nil, target: .authorisation, amount: totals.amount, .accepted, .succeeded)
        let (book, rows) = PartitionBook.reading([history.offer(1, totals)] + facts + void)
        #expect(rows.flatMap(\.entries).map(\.kind) == [.lateHold, .holdReleased])
        #expect(book.fold.orders[Shop.order]?.status == .open)
        #expect(book.fold.orders[Shop.order]?.amounts(of: payment)?.isCapturable == false)
    }

    @Test("The amounts of a payment follow its captures, voids and refunds")
    func amounts() throws {
        let facts = try authorised(
            capture(12_000) + refund(2_000, 2)
                + history.followUps(.refund, 3, amount: money(500), .accepted, .unknown))
        let (book, _) = PartitionBook.reading(facts)
        let amounts = try #require(book.fold.orders[Shop.order]?.amounts(of: payment))
        #expect((amounts.authorised, amounts.captured, amounts.refunded) == (10_900, 12_000, 2_000))
        #expect(amounts.refundsInProgress == 500 && amounts.refundable == 9_500 && amounts.hasLiveFollowUp)
        #expect(!PaymentAmounts.isAboveHold(12_535, 10_900) && PaymentAmounts.isAboveHold(12_536, 10_900))
        #expect(!PaymentAmounts.isAboveHold(.max, .max))
    }

    @Test("A refund whose parts cannot be posted is booked in proportion or refused, and ends nothing")
    func largestParts() throws {
        let large = try Shop.totals(subtotal: .max, discount: .max - 1, shipping: 0, tax: 0)
        let small = try Shop.totals(subtotal: 0, discount: 0, shipping: 1_000, tax: 0)
        let both = try Shop.totals(subtotal: .max, discount: .max - 1, shipping: 1_000, tax: 0)
        let facts = capture(1, parts: large) + capture(1_000, 4, parts: small) + refund(1_001, 5, parts: both)
        let (_, rows) = PartitionBook.reading(try authorised(facts))
        #expect(rows.flatMap(\.entries).filter { $0.kind == .capture }.count == 2)
        #expect(rows.flatMap(\.entries).allSatisfy { Entry.isBalanced($0.postings) })
    }

    @Test("A refund with a damaged amount gives no more back than was taken", arguments: [Int64.min, -1, .max])
    func damagedRefund(_ amount: Int64) {
        var amounts = PaymentAmounts(currency: .cny)
        amounts.captured = 10_000
        amounts.refunded = amount
        #expect(amounts.refundable == (amount > 0 ? 0 : 10_000))
    }

    @Test("Facts that contradict what is known are refused, in words, and change nothing")
    func contradictions() throws {
        let yen = Money(minorUnits: 5, currency: try #require(Currency("JPY")))
        let cases: [([Fact], Fact, String)] = [
            (
                try sold(), history.followUp(.capture, transition: 1, amount: money(5), .accepted),
                "a sale is not captured"
            ),
            (
                try sold(),
                history.followUp(.void, target: .authorisation, transition: 1, amount: money(10_900), .accepted),
                "the payment is no authorisation"
            ),
            (
                try sold(), history.followUp(.void, target: .sale, transition: 1, amount: money(5), .accepted),
                "a void undoes all of the payment"
            ),
            (
                try sold(void(.sale, 10_900)),
                history.followUp(.void, 9, target: .sale, transition: 1, amount: money(10_900), .succeeded),
                "the sale was undone before"
            ),
            (
                try authorised(),
                history.followUp(.void, target: .capture, transition: 1, amount: money(5), .succeeded),
                "the payment has no capture of this amount to undo"
            ),
            (try sold(), history.followUp(.refund, transition: 1, amount: yen, .accepted), "in the currency"),
            (
                try sold(refund(100, 2)), history.followUp(.refund, 2, transition: 3, amount: money(100), .failed),
                "refund failed as transition 3 cannot follow succeeded as transition 2"
            ),
            (
                try sold(history.followUps(.refund, 2, amount: money(100), .accepted)),
                history.followUp(.refund, 2, transition: 2, amount: money(101), .succeeded), "never changes its amount"
            ),
            (
                [history.offer(1, try Shop.totals())]
                    + history.payment(amount: try Shop.totals().amount, .accepted, .declined),
                history.followUp(.refund, transition: 1, amount: money(5), .accepted), "without money"
            ),
        ]
        for (before, fact, words) in cases {
            let (known, _) = PartitionBook.reading(before)
            let (book, rows) = PartitionBook.reading(before + [fact])
            #expect(rows.last?.disposition == .refused, "\(words)")
            #expect(rows.last?.faults.first?.reason.contains(words) == true, "\(rows.last?.faults ?? [])")
            #expect(rows.last?.faults.first?.subject == .money)
            #expect(book.fold.orders == known.fold.orders)
        }
    }

    @Test("A follow-up waits for its payment's outcome and for its own earlier facts")
    func early() throws {
        let capture = capture(10_900)
        let facts = try authorised()
        for order in [
            facts + capture.reversed(), capture + facts, [capture[1], facts[0], capture[0], facts[1], facts[2]],
        ] {
            let (book, rows) = PartitionBook.reading(order)
            #expect(book.fold.orders[Shop.order]?.status == .paid)
            #expect(book.fold.orders[Shop.order]?.parked.isEmpty == true)
            #expect(rows.contains { $0.disposition == .parked })
            #expect(rows.flatMap(\.entries).map(\.kind) == [.hold, .capture, .holdReleased])
        }
    }

    @Test("Final lines wait for the authorisation, come once, and are the order's offer then")
    func finalLines() throws {
        let final = try Shop.totals(subtotal: 4_000)
        let (early, waiting) = PartitionBook.reading([history.offer(1, try Shop.totals()), history.finalised(2, final)])
        #expect(waiting.last?.disposition == .parked)
        #expect(early.fold.orders[Shop.order]?.finalRevision == nil)
        let (book, rows) = PartitionBook.reading(
            try authorised([history.finalised(2, final), history.finalised(3, final), history.offer(3, final)]))
        #expect(rows.map(\.disposition).suffix(3) == [.applied, .refused, .applied])
        #expect(book.fold.orders[Shop.order]?.finalRevision == 2)
        #expect(book.fold.orders[Shop.order]?.offer?.totals == final)
    }

    @Test("An authorised order is not closed, and a second authorisation is a surplus")
    func closedOnce() throws {
        let second = history.payment(Shop.paymentID(2), amount: try Shop.totals().amount, .accepted, .authorised)
        let (book, rows) = PartitionBook.reading(try authorised([history.closed(.expired)] + second))
        #expect(rows[3].faults.map(\.reason) == ["an authorised order is not closed as expired"])
        #expect(rows.flatMap(\.entries).map(\.kind) == [.hold, .surplusHold])
        #expect(book.fold.orders[Shop.order]?.paidBy == payment)
        #expect(book.fold.orders[Shop.order]?[Shop.paymentID(2)]?.needsReview(paidBy: payment) == true)
    }

    @Test("What the acquirer did is booked beyond the limits, too: the audit names it")
    func beyond() throws {
        let (book, rows) = PartitionBook.reading(try sold(refund(10_000, 2) + refund(2_000, 3)))
        #expect(rows.flatMap(\.faults).isEmpty)
        #expect(balances(rows) == [.acquirerReceivable: -1_100, .sales: 1_100])
        var audit = AmountAudit(partition: Shop.partition)
        audit.add(try #require(book.fold.orders[Shop.order]))
        #expect(audit.refunds.first.first?.text.contains("refunded 120.00 CNY of 109.00 CNY taken") == true)
        let (above, _) = PartitionBook.reading(try authorised(capture(12_536)))
        audit.add(try #require(above.fold.orders[Shop.order]))
        #expect(audit.captures.first.first?.text.contains("captured 125.36 CNY of a hold of 109.00 CNY") == true)
    }
}
