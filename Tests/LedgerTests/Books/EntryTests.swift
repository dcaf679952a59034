import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Entries balance")
struct EntryTests {
    @Test(
        "An entry is balanced only when its postings add up to zero",
        arguments: [
            ([1, -1], true), ([5, -2, -3], true), ([.max, -.max], true), ([.max, 1, .min], false), ([1, -2], false),
            ([0, 0], false), ([1, 0, -1], false), ([], false), ([0], false), ([.max, .max, 2], false),
        ] as [([Int64], Bool)])
    func balance(_ amounts: [Int64], _ isBalanced: Bool) {
        #expect(Entry.isBalanced(amounts.map { Posting(.sales, $0) }) == isBalanced)
    }

    @Test("An unbalanced entry stops the program before it reaches the books")
    func unbalanced() async {
        await #expect(processExitsWith: .failure) {
            _ = Entry(
                position: JournalPosition(partition: 0, offset: 0), index: 0, kind: .sale,
                cause: EventID(hash: [UInt8](repeating: 1, count: 32)), time: Timestamp(seconds: 0),
                order: Shop.orderID(1), payment: Shop.paymentID(1), merchant: Shop.otherMerchant, rules: 1,
                currency: .cny, postings: [Posting(.acquirerReceivable, 100), Posting(.sales, -99)])
        }
    }

    @Test("Every sale that the rules allow balances, with any parts", arguments: 0..<500)
    func sales(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func part() -> Int64 {
            switch UInt8.random(in: 0..<4, using: &random) {
            case 0: 0
            case 1: Int64.random(in: 1..<100, using: &random)
            case 2: Int64.random(in: 0...Int64.max / 4, using: &random)
            default: Int64.max - Int64.random(in: 0..<100, using: &random)
            }
        }
        let totals = OfferTotals(currency: .cny, subtotal: part(), discount: part(), shipping: part(), tax: part())
        guard let totals, PostingRules.canPost(totals) else { return }
        #expect(Entry.isBalanced(PostingRules.v1.postings(.taken(totals))))
        #expect(Entry.isBalanced(PostingRules.v2.postings(.reversed(.taken(totals)))))
    }

    @Test("The trial balance sums by currency and reports when it does not balance")
    func trialBalance() throws {
        let yen = try #require(Currency("JPY"))
        let balance = try #require(
            TrialBalance(sums: [
                (.cny, "income:sales", 0, 900), (.cny, "assets:acquirer-receivable", 1_000, 50),
                (.cny, "liabilities:tax-payable", 0, 50),
                (yen, "assets:acquirer-receivable", 7, 0), (yen, "income:sales", 0, 6),
            ]))
        #expect(
            balance.lines.map(\.account) == [
                "assets:acquirer-receivable", "liabilities:tax-payable", "income:sales", "assets:acquirer-receivable",
                "income:sales",
            ])
        #expect(balance.lines.map(\.amount) == [950, -50, -900, 7, -6])
        #expect(balance.totals.map(\.isBalanced) == [true, false])
        #expect(balance.totals.map(\.debit) == [1_000, 7])
        let huge = TrialBalance(sums: [(.cny, "a", .max, 0), (.cny, "b", 1, 0)])
        #expect(huge == nil, "sums that leave 64 bits are no sums")
    }
}
