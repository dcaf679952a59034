import Contracts

/// Debits and credits by currency and account, summed line by line.
public struct BookSums: Hashable, Sendable {
    /// An account in a currency, as the line names them. In a changed database, either may be unknown.
    public struct Line: Hashable, Comparable, Sendable {
        public let currency: String
        public let account: String

        public static func < (left: Self, right: Self) -> Bool {
            (left.currency, left.account) < (right.currency, right.account)
        }
    }

    private struct Sum: Hashable {
        var debit: Int64 = 0
        /// As a positive number.
        var credit: Int64 = 0
    }

    private var sums: [Line: Sum] = [:]
    /// Whether a sum exceeded 64 bits; then no sum is valid.
    public private(set) var isOverflown = false

    public init() {}

    /// Adds a line: minor units, debit positive.
    public mutating func add(currency: String, account: String, amount: Int64) {
        let line = Line(currency: currency, account: account)
        var sum = sums[line, default: Sum()]
        let (part, overflow) =
            amount > 0
            ? sum.debit.addingReportingOverflow(amount) : sum.credit.subtractingReportingOverflow(amount)
        if amount > 0 { sum.debit = part } else { sum.credit = part }
        isOverflown = isOverflown || overflow
        sums[line] = sum
    }

    /// Adds the postings of an entry.
    public mutating func add(_ entry: Entry) {
        for posting in entry.postings {
            add(currency: entry.currency.code, account: posting.account.rawValue, amount: posting.amount)
        }
    }

    /// Adds the sums of others.
    public mutating func add(_ other: BookSums) {
        isOverflown = isOverflown || other.isOverflown
        for (line, sum) in other.sums {
            add(currency: line.currency, account: line.account, amount: sum.debit)
            add(currency: line.currency, account: line.account, amount: -sum.credit)
        }
    }

    /// The trial balance; nil when a currency is unknown or the sums exceed 64 bits.
    public var trialBalance: TrialBalance? {
        guard !isOverflown else { return nil }
        var list: [(currency: Currency, account: String, debit: Int64, credit: Int64)] = []
        for (line, sum) in sums {
            guard let currency = Currency(line.currency) else { return nil }
            list.append((currency, line.account, sum.debit, sum.credit))
        }
        return TrialBalance(sums: list)
    }

    /// The balance of an account in each currency: minor units, debit positive. Numbers beyond 64 bits wrap: sums that
    /// do are a finding already.
    func balances(of account: Account) -> [String: Int64] {
        var balances: [String: Int64] = [:]
        for (line, sum) in sums where line.account == account.rawValue {
            balances[line.currency] = sum.debit &- sum.credit
        }
        return balances
    }

    /// The accounts whose sums differ.
    public func differing(from other: BookSums) -> [Line] {
        Set(sums.keys).union(other.sums.keys)
            .filter { sums[$0, default: Sum()] != other.sums[$0, default: Sum()] }.sorted()
    }
}
