import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Folding one order")
struct FoldTests {
    private let history = History()
    private let payment = Shop.paymentID(1)

    @Test(
        "A payment's facts give a status, and money that moved gives an entry",
        arguments: [
            ([.accepted, .succeeded], PaymentStatus.succeeded, OrderStatus.paid, EntryKind.sale),
            ([.accepted, .unknown, .succeeded], .succeeded, .paid, .sale),
            ([.accepted, .declined], .declined, .open, nil),
            ([.declined], .declined, .open, nil),
            ([.unknown], .unknown, .open, nil),
            ([.refused], .refused, .open, nil),
            ([.accepted], .accepted, .open, nil),
            ([.accepted, .unknown, .notCharged], .notCharged, .open, nil),
            ([.accepted, .conflicted], .conflicted, .open, nil),
            ([.accepted, .conflicted, .succeeded], .succeeded, .paid, .sale),
            ([.accepted, .unknown, .resolvedPaid], .succeeded, .paid, .sale),
            ([.accepted, .conflicted, .resolvedPaid], .succeeded, .paid, .sale),
            ([.accepted, .unknown, .resolvedNotCharged], .notCharged, .open, nil),
            ([.accepted, .conflicted, .resolvedNotCharged, .lateSuccess], .lateSuccess, .open, .lateSuccess),
            ([.accepted, .declined, .lateSuccess], .lateSuccess, .open, .lateSuccess),
            ([.refused, .lateSuccess], .lateSuccess, .open, .lateSuccess),
            ([.accepted, .unknown, .notCharged, .lateSuccess], .lateSuccess, .open, .lateSuccess),
        ] as [([PaymentEvent], PaymentStatus, OrderStatus, EntryKind?)])
    func outcomes(_ events: [PaymentEvent], _ status: PaymentStatus, _ order: OrderStatus, _ kind: EntryKind?) throws {
        let totals = try Shop.totals()
        let facts = events.enumerated().map {
            history.fact(transition: Int64($0 + 1), amount: totals.amount, $1)
        }
        let (book, rows) = PartitionBook.reading([history.offer(1, totals)] + facts)
        #expect(rows.map(\.disposition).allSatisfy { $0 == .applied })
        let state = try #require(book.fold.orders[Shop.order])
        #expect(state[payment]?.status == status)
        #expect(state.status == order)
        #expect(rows.flatMap(\.entries).map(\.kind) == [kind].compactMap(\.self))
    }

    @Test("After a stored transition that was damaged no fact is booked", arguments: [Int64.max, .min, -1])
    func damagedTransition(_ number: Int64) throws {
        let totals = try Shop.totals()
        let facts = [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
        let (before, _) = PartitionBook.reading(Array(facts.dropLast()))
        var state = try #require(before.fold.orders[Shop.order])
        state.payments[0].transition = number
        var book = PartitionBook(nextOffset: 2, fold: Fold(partition: Shop.partition, orders: [state]))
        let record = try #require(facts.records().last)
        let appended = book.append(record)
        let row = try #require(appended)
        #expect(row.disposition != .applied)
        #expect(row.entries.isEmpty)
    }

    @Test("A sale books every part of the offer")
    func sale() throws {
        let totals = try Shop.totals()
        let (_, rows) = PartitionBook.reading(
            [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded))
        let entry = try #require(rows.last?.entries.first)
        #expect(
            entry.postings == [
                Posting(.acquirerReceivable, 10_900), Posting(.discounts, 500), Posting(.sales, -10_000),
                Posting(.shipping, -800), Posting(.taxPayable, -600),
            ])
        #expect(entry.position == JournalPosition(partition: Shop.partition, offset: 2))
        #expect(entry.cause == history.fact(transition: 2, amount: totals.amount, .succeeded).id)
        #expect(entry.merchant == history.merchant)
    }

    // Failure scenario 54.
    @Test("The paid offer becomes the order, not the newest offer")
    func paidRevision() throws {
        let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
        let (book, rows) = PartitionBook.reading(
            [history.offer(1, first), history.offer(2, second)]
                + history.payment(revision: 1, amount: first.amount, .accepted, .succeeded))
        #expect(book.fold.orders[Shop.order]?.offer?.revision == 1)
        #expect(rows.last?.entries.first?.postings.first == Posting(.acquirerReceivable, 10_900))
    }

    // Failure scenario 34.
    @Test("The money of a late success is owed back")
    func lateSuccess() throws {
        let totals = try Shop.totals()
        let (_, rows) = PartitionBook.reading(
            [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .declined, .lateSuccess))
        #expect(
            rows.last?.entries.first?.postings
                == [Posting(.acquirerReceivable, 10_900), Posting(.refundsDue, -10_900)])
    }

    // Failure scenario 23.
    @Test("Money of a payment that the acquirer calls failed is owed, and given back; another payment pays the order")
    func calledFailed() throws {
        let totals = try Shop.totals()
        let owed = PaymentEvent.lateSuccess(PaymentEvent.result.remarked("42: charged, but too late"))
        let first = history.payment(amount: totals.amount, .accepted, owed)
        let (review, _) = PartitionBook.reading([history.offer(1, totals)] + first)
        let state = try #require(review.fold.orders[Shop.order])
        #expect(state.status == .open && state.paidBy == nil)
        #expect(state[Shop.paymentID(1)]?.needsReview(paidBy: nil) == true)
        #expect(state[Shop.paymentID(1)]?.reason == "42: charged, but too late")
        let (book, rows) = PartitionBook.reading(
            [history.offer(1, totals)] + first
                + history.followUps(.refund, nil, amount: totals.amount, .accepted, .succeeded)
                + history.payment(Shop.paymentID(2), amount: totals.amount, .accepted, .succeeded))
        #expect(rows.flatMap(\.entries).map(\.kind) == [.lateSuccess, .dueRefund, .sale])
        #expect(book.fold.orders[Shop.order]?.paidBy == Shop.paymentID(2))
    }

    @Test("Money for a closed or paid order is owed back and changes nothing in it")
    func surplus() throws {
        let totals = try Shop.totals()
        let second = history.payment(Shop.paymentID(2), amount: totals.amount, .accepted, .succeeded)
        for before in [
            history.payment(amount: totals.amount, .accepted, .succeeded), [history.closed(.cancelled)],
            [history.closed(.expired)],
            history.payment(amount: Money(minorUnits: 1, currency: .cny), .accepted, .succeeded),
        ] {
            let (book, rows) = PartitionBook.reading([history.offer(1, totals)] + before + second)
            #expect(rows.last?.entries.map(\.kind) == [.surplusSuccess])
            #expect(rows.last?.entries.first?.postings.last == Posting(.refundsDue, -10_900))
            #expect(book.fold.orders[Shop.order]?.paidBy != Shop.paymentID(2))
        }
    }

    @Test("Another amount than the offer's is booked, but not as a sale")
    func unallocated() throws {
        let totals = try Shop.totals()
        let (book, rows) = PartitionBook.reading(
            [history.offer(1, totals)]
                + history.payment(amount: Money(minorUnits: 1, currency: .cny), .accepted, .succeeded))
        #expect(rows.last?.entries.map(\.kind) == [.unallocatedSuccess])
        #expect(
            rows.last?.entries.first?.postings
                == [Posting(.acquirerReceivable, 1), Posting(.unallocatedReceipts, -1)])
        #expect(book.fold.orders[Shop.order]?.status == .review)
    }

    @Test("A payment has the acquirer's key of its accepted fact or of its result")
    func reference() throws {
        let totals = try Shop.totals()
        for events in [[PaymentEvent.accepted], [.accepted, .unknown], [.succeeded]] {
            let facts = events.enumerated().map { history.fact(transition: Int64($0 + 1), amount: totals.amount, $1) }
            let (book, _) = PartitionBook.reading([history.offer(1, totals)] + facts)
            #expect(book.fold.orders[Shop.order]?[payment]?.reference == PaymentEvent.reference)
        }
    }

    // Failure scenario 46.
    @Test(
        "A final status changes only to lateSuccess",
        arguments: [PaymentEvent.succeeded, .declined, .notCharged, .refused, .lateSuccess],
        [PaymentEvent.unknown, .declined, .succeeded, .notCharged, .conflicted])
    func monotone(_ end: PaymentEvent, _ next: PaymentEvent) throws {
        let totals = try Shop.totals()
        let start: [PaymentEvent] =
            switch end {
            case .refused: [end]
            case .lateSuccess: [.accepted, .declined, end]
            default: [.accepted, end]
            }
        let facts = (start + [next]).enumerated().map {
            history.fact(transition: Int64($0 + 1), amount: totals.amount, $1)
        }
        let (book, rows) = PartitionBook.reading([history.offer(1, totals)] + facts)
        #expect(rows.last?.disposition == .refused)
        #expect(rows.last?.faults.map(\.code) == ["illegalTransition"])
        #expect(rows.last?.entries.isEmpty == true)
        #expect(book.fold.orders[Shop.order]?[payment]?.status.rawValue == end.name)
    }

    @Test("Facts that contradict what is known are refused and change nothing")
    func contradictions() throws {
        let totals = try Shop.totals()
        var stranger = history
        stranger.merchant = Shop.otherMerchant
        var moved = History()
        moved.partitions = 5
        let base = [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted)
        let cases: [(Fact, FoldError.Code)] = [
            (stranger.closed(.cancelled), .merchantDiffers),
            (stranger.fact(transition: 2, amount: totals.amount, .succeeded), .merchantDiffers),
            (moved.offer(2, totals), .offerDiffers),
            (history.offer(2, try Shop.totals(try #require(Currency("JPY")))), .offerDiffers),
            (history.offer(2, try Shop.totals(subtotal: 0, discount: 0, shipping: 0, tax: 0)), .offerDiffers),
            (history.offer(2, try Shop.totals(subtotal: .max, discount: .max, shipping: 9)), .offerDiffers),
            (history.fact(transition: 2, amount: Money(minorUnits: 5, currency: .cny), .succeeded), .offerDiffers),
            (history.fact(Shop.paymentID(3), transition: 1, amount: .zero(.cny), .succeeded), .offerDiffers),
        ]
        for (fact, code) in cases {
            let (before, _) = PartitionBook.reading(base)
            let (after, rows) = PartitionBook.reading(base + [fact])
            #expect(rows.last?.disposition == .refused)
            #expect(rows.last?.faults.map(\.code) == [code.rawValue])
            #expect(after.fold.orders == before.fold.orders)
        }
    }

    @Test("An order is closed once, and a paid order is not cancelled")
    func closedOnce() throws {
        let totals = try Shop.totals()
        let cancelled = history.closed(.cancelled)
        let (_, paid) = PartitionBook.reading(
            [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded) + [cancelled])
        #expect(paid.last?.faults.map(\.code) == ["alreadyClosed"])
    }

    @Test("An order in the wrong partition is refused, and nothing of it is known")
    func wrongPartition() throws {
        let wrong = (Shop.partition + 1) % Shop.partitions
        let (book, rows) = PartitionBook.reading([history.offer(1, try Shop.totals())], partition: wrong)
        #expect(rows.first?.faults.map(\.code) == ["wrongPartition"])
        #expect(book.fold[Shop.order] == nil)
    }

    @Test("Rejected commands are stored")
    func notes() throws {
        let (book, _) = PartitionBook.reading([
            history.offer(1, try Shop.totals()), history.commandRejected(1),
        ])
        let state = try #require(book.fold.orders[Shop.order])
        #expect(state.refusedCommands.map(\.reason) == [.chargeInProgress])
        #expect(state.payments.isEmpty, "a command is never a payment")
    }
}
