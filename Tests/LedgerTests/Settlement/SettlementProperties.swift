import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Random settled days")
struct SettlementProperties {
    private let history = History()
    private let time = Timestamp(seconds: 1_700_000_200)

    /// What the acquirer's file does with a transaction of ours.
    private enum Fate: CaseIterable {
        case settled, missing, otherAmount, otherFee
    }

    // Failure scenario 48.
    @Test("tie out: what is ours and unsettled is what the differences say, to the last fen", arguments: 0..<40)
    func sums(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (facts, rows, fates): ([Fact], [SettlementRecorded], [Fate]) = ([], [], [])
        let count = Int.random(in: 1...12, using: &random)
        for index in 0..<count {
            var story = History(Shop.orderID(UInt8(index + 1)))
            story.partitions = 1
            let payment = Shop.paymentID(UInt8(index + 1))
            let totals = try Shop.totals(subtotal: .random(in: 1_000...90_000, using: &random))
            facts += [story.offer(1, totals)] + story.payment(payment, amount: totals.amount, .accepted, .succeeded)
            let fate = Fate.allCases.randomElement(using: &random) ?? .settled
            fates.append(fate)
            let fee = totals.total * 60 / 10_000
            switch fate {
            case .missing: continue
            case .settled: rows.append(story.row(payment, serial: "q\(index)", amount: totals.total, fee: fee))
            case .otherAmount:
                rows.append(story.row(payment, serial: "q\(index)", amount: totals.total - 7, fee: fee))
            case .otherFee:
                rows.append(
                    story.row(
                        payment, serial: "q\(index)", amount: totals.total, fee: fee, net: totals.total - fee - 3))
            }
        }
        let strangers = (0..<Int.random(in: 0...3, using: &random)).map {
            history.row(nil, serial: "s\($0)", amount: .random(in: 1...5_000, using: &random), fee: 1)
        }
        rows += strangers
        rows.shuffle(using: &random)
        let (book, read) = PartitionBook.reading(facts + rows.map { .settlementRecorded($0) }, partition: 0)
        let entries = read.flatMap(\.entries)
        var day = Reconciliation(
            history.day(), file: .init(history.file(rows), at: time), isWhole: true, nextFile: time, explanations: [])
        for row in rows { day.add(.init(row, at: time), of: book.fold.orders[row.order]) }
        for order in book.fold.orders.values.sorted(by: { $0.id < $1.id }) { day.add(order) }
        day.close()

        #expect(day.theirs == SettlementSums(history.file(rows)))
        #expect(day.differences.open == Int64(fates.count { $0 != .settled } + strangers.count))
        #expect(day.matched == Int64(fates.count { $0 == .settled }))
        // Receivable + what strangers are owed = −(the differences): the books and the list say the same.
        func sum(_ account: Account) -> Int64 {
            entries.flatMap(\.postings).filter { $0.account == account }.reduce(0) { $0 + $1.amount }
        }
        let listed = day.differences.first.reduce(0) { $0 + $1.amount.minorUnits }
        #expect(sum(.acquirerReceivable) + sum(.unallocatedReceipts) == -listed)
        #expect(sum(.bankReceivable) == day.theirs.net && sum(.acquirerFees) == day.theirs.fees)
        #expect(entries.allSatisfy { Entry.isBalanced($0.postings) })
        #expect(day.ours.taken - day.ours.returned + listed == day.theirs.net + day.theirs.fees)
    }
}
