import Contracts
import Testing

@testable import Ledger

@Suite("Sums of the books' lines")
struct BookSumsTests {
    private static func sums(_ lines: [(currency: String, account: String, amount: Int64)]) -> BookSums {
        lines.reduce(into: BookSums()) { $0.add(currency: $1.currency, account: $1.account, amount: $1.amount) }
    }

    @Test("are the same for lines as they are stored and for postings")
    func postings() throws {
        let entry = Entry.found(
            position: JournalPosition(partition: 0, offset: 0), index: 0, kind: .sale, cause: EventID(high: 1, low: 2),
            time: Timestamp(microseconds: 0), order: OrderID(high: 3, low: 4), payment: nil,
            merchant: MerchantID(high: 5, low: 6), rules: 2, currency: .cny,
            postings: [Posting(.acquirerReceivable, 500), Posting(.sales, -500)])
        var posted = BookSums()
        posted.add(entry)
        let lines = Self.sums([("CNY", "assets:acquirer-receivable", 500), ("CNY", "income:sales", -500)])
        #expect(posted == lines && posted.differing(from: lines).isEmpty)
        #expect(posted.balances(of: .sales) == ["CNY": -500])
        #expect(posted.trialBalance != nil)
    }

    @Test("keep lines of unknown currencies and accounts, and name them")
    func strangers() {
        let known = Self.sums([("CNY", "income:sales", 5)])
        let strange = Self.sums([("CNY", "income:sales", 5), ("XXX", "income:sales", 7), ("CNY", "income:none", -9)])
        #expect(
            strange.differing(from: known).map { "\($0.currency) \($0.account)" } == [
                "CNY income:none", "XXX income:sales",
            ])
        #expect(strange.balances(of: .sales) == ["CNY": 5, "XXX": 7])
        #expect(strange.trialBalance == nil, "no minor unit is known of XXX")
        var both = known
        both.add(strange)
        #expect(both.balances(of: .sales) == ["CNY": 10, "XXX": 7] && both.differing(from: strange).count == 1)
    }

    @Test("are void when one of them exceeds 64 bits", arguments: ["income:sales", "income:none"])
    func overflow(_ account: String) {
        let sums = Self.sums([("CNY", account, .max), ("CNY", account, 1)])
        #expect(sums.isOverflown && sums.trialBalance == nil)
        var all = BookSums()
        all.add(Self.sums([("CNY", account, .min)]))
        #expect(all.isOverflown, "the smallest number has no opposite")
    }

    @Test("find every account by its name", arguments: Account.allCases)
    func accounts(_ account: Account) {
        #expect(Account(rawValue: account.rawValue) == account)
    }
}
