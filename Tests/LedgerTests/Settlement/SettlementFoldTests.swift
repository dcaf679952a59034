import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Folding what acquirer and bank tell")
struct SettlementFoldTests {
    private let history = History()

    private func paid() throws -> [Fact] {
        let totals = try Shop.totals()
        return [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
    }

    private func entry(_ fact: Fact, after facts: [Fact]) throws -> Entry {
        let (_, rows) = PartitionBook.reading(facts + [fact])
        let row = try #require(rows.last)
        #expect(row.disposition == .applied)
        #expect(row.entries.count == 1, "one entry a fact")
        return try #require(row.entries.first)
    }

    // Failure scenario 48.
    @Test("A row moves what it pays to the bank's receivable, and its fee to the expenses")
    func row() throws {
        let entry = try entry(.settlementRecorded(history.row(amount: 10_900, fee: 65)), after: try paid())
        #expect(entry.kind == .settlement)
        #expect(entry.payment == Shop.paymentID(1))
        #expect(
            entry.postings == [
                Posting(.bankReceivable, 10_835), Posting(.acquirerFees, 65), Posting(.acquirerReceivable, -10_900),
            ])
    }

    @Test("A row that gives money back is the reverse, its fee is given back too")
    func returned() throws {
        let row = history.row(.some(Shop.paymentID(1)), .refund, serial: "q2", amount: 900, fee: -5)
        let entry = try entry(.settlementRecorded(row), after: try paid())
        #expect(
            entry.postings == [
                Posting(.bankReceivable, -895), Posting(.acquirerFees, -5), Posting(.acquirerReceivable, 900),
            ])
    }

    @Test("A row of no order is owed until somebody says whose it is")
    func unknownRow() throws {
        let row = history.row(nil, amount: 500, fee: 3)
        let entry = try entry(.settlementRecorded(row), after: [])
        #expect(entry.kind == .unallocatedSettlement)
        #expect(entry.kind.needsReview)
        #expect(entry.payment == nil)
        #expect(entry.order == row.day.subject)
        #expect(
            entry.postings == [
                Posting(.bankReceivable, 497), Posting(.acquirerFees, 3), Posting(.unallocatedReceipts, -500),
            ])
    }

    @Test("A row with another amount is booked as it stands: the rest stays receivable")
    func otherAmount() throws {
        let (_, rows) = PartitionBook.reading(
            try paid() + [.settlementRecorded(history.row(amount: 10_000, fee: 60))])
        let receivable = rows.flatMap(\.entries).flatMap(\.postings).filter { $0.account == .acquirerReceivable }
        #expect(receivable.map(\.amount).reduce(0, +) == 900)
    }

    // Failure scenario 48.
    @Test("A dispute that takes money is an asset until it is decided; one that takes none is not booked")
    func disputes() throws {
        let taken = try entry(
            .disputeOpened(history.dispute(amount: 10_900, net: -10_900)), after: try paid())
        #expect(taken.postings == [Posting(.bankReceivable, -10_900), Posting(.disputes, 10_900)])
        let (_, rows) = PartitionBook.reading(
            try paid() + [.disputeOpened(history.dispute(amount: 10_900, net: 0))])
        #expect(rows.last?.disposition == .applied)
        #expect(rows.last?.entries.isEmpty == true)
    }

    @Test("A pay-out moves the receivable to the bank")
    func payOut() throws {
        let entry = try entry(#require(history.payOut(10_835)), after: [])
        #expect(entry.postings == [Posting(.bank, 10_835), Posting(.bankReceivable, -10_835)])
    }

    @Test("The sums of a file and an explanation post nothing, and make no order")
    func noMoney() throws {
        let row = history.row(nil, amount: 500)
        let explained = try #require(
            DifferenceExplained(
                day: row.day, difference: DifferenceID(theirs: row.id, on: row.day), kind: .onlyTheirs,
                amount: row.amount, reason: "the till's own terminal", by: "li.wei"))
        let (book, rows) = PartitionBook.reading([
            .settlementFileRecorded(history.file([row])), .differenceExplained(explained),
        ])
        #expect(rows.allSatisfy { $0.disposition == .applied && $0.entries.isEmpty })
        #expect(book.fold.orders.values.allSatisfy { $0.status == nil && !$0.isOrder })
    }

    @Test("A row that comes before its payment waits for it")
    func early() throws {
        let totals = try Shop.totals()
        let row = Fact.settlementRecorded(history.row(amount: 10_900, fee: 65))
        let (book, rows) = PartitionBook.reading(
            [row, history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded))
        #expect(rows.map(\.disposition) == [.parked, .applied, .applied, .applied])
        #expect(rows[2].entries.map(\.kind) == [.settlement])
        #expect(rows[2].entries.first?.cause == row.id)
        #expect(book.fold.orders[Shop.order]?.settlements.map(\.fact) == [row])
    }

    @Test("A row that is told again changes nothing; the same serial number in another day's file is refused")
    func twice() throws {
        let row = history.row(amount: 10_900, fee: 65)
        let (_, again) = PartitionBook.reading(
            try paid() + [.settlementRecorded(row), .settlementRecorded(row)])
        #expect(again.count == 4)
        let moved = history.row(amount: 10_900, fee: 65, on: "2023-11-22")
        let (book, rows) = PartitionBook.reading(
            try paid() + [.settlementRecorded(row), .settlementRecorded(moved)])
        #expect(rows.last?.disposition == .refused)
        #expect(rows.last?.faults.map(\.code) == [FoldError.Code.settledBefore.rawValue])
        #expect(rows.last?.faults.first?.reason.contains("2023-11-21") == true)
        #expect(book.fold.orders[Shop.order]?.settlements.count == 1)
    }

    @Test("A row with other content under the same serial number and day contradicts the first")
    func contradiction() throws {
        let (_, rows) = PartitionBook.reading(
            try paid() + [
                .settlementRecorded(history.row(amount: 10_900)), .settlementRecorded(history.row(amount: 10_901)),
            ])
        #expect(rows.last?.faults.map(\.code) == [FoldError.Code.conflictingDuplicate.rawValue])
    }

    @Test("A pay-out with the same reference and another day or amount contradicts the first", arguments: [1, 2])
    func payOutTwice(_ variant: Int) throws {
        let first = try #require(history.payOut(10_835))
        let second = try #require(
            variant == 1 ? history.payOut(10_836) : history.payOut(10_835, on: "2023-11-23"))
        let (_, rows) = PartitionBook.reading([first, second])
        #expect(rows.last?.faults.map(\.code) == [FoldError.Code.conflictingDuplicate.rawValue])
    }

    @Test("Another merchant's row, and amounts beyond 64 bits, are refused: nothing is booked")
    func refused() throws {
        var other = history
        other.merchant = Shop.otherMerchant
        let (_, rows) = PartitionBook.reading(
            try paid() + [
                .settlementRecorded(other.row(amount: 10_900)),
                .settlementRecorded(history.row(serial: "q2", amount: 10_900, fee: .max, net: 5)),
            ])
        #expect(
            rows.suffix(2).flatMap(\.faults).map(\.code) == [
                FoldError.Code.merchantDiffers.rawValue, FoldError.Code.amountTooLarge.rawValue,
            ])
        #expect(rows.suffix(2).allSatisfy { $0.entries.isEmpty })
    }
}
