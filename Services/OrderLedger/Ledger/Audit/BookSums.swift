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

        /// - Returns: whether a sum exceeds 64 bits now.
        mutating func add(_ amount: Int64) -> Bool {
            let (part, overflow) =
                amount > 0 ? debit.addingReportingOverflow(amount) : credit.subtractingReportingOverflow(amount)
            if amount > 0 { debit = part } else { credit = part }
            return overflow
        }
    }

    /// A line of the chart of accounts: two bytes, where each line of the books is looked up.
    private struct Place: Hashable {
        let currency: Currency
        let account: Account
    }

    private var sums: [Place: Sum] = [:]
    /// Of lines that no program writes.
    private var strange: [Line: Sum] = [:]
    /// Whether a sum exceeded 64 bits; then no sum is valid.
    public private(set) var isOverflown = false

    public init() {}

    /// Adds a line: minor units, debit positive.
    public mutating func add(currency: String, account: String, amount: Int64) {
        guard let known = Currency(currency), let account = Account(rawValue: account) else {
            if strange[Line(currency: currency, account: account), default: Sum()].add(amount) { isOverflown = true }
            return
        }
        add(amount, Place(currency: known, account: account))
    }

    /// Adds the postings of an entry.
    public mutating func add(_ entry: Entry) {
        for posting in entry.postings {
            add(posting.amount, Place(currency: entry.currency, account: posting.account))
        }
    }

    private mutating func add(_ amount: Int64, _ place: Place) {
        if sums[place, default: Sum()].add(amount) { isOverflown = true }
    }

    /// Adds the sums of others.
    public mutating func add(_ other: BookSums) {
        isOverflown = isOverflown || other.isOverflown
        for (line, sum) in other.lines {
            add(currency: line.currency, account: line.account, amount: sum.debit)
            add(currency: line.currency, account: line.account, amount: 0 &- sum.credit)
        }
    }

    /// The trial balance; nil when a currency is unknown or the sums exceed 64 bits.
    public var trialBalance: TrialBalance? {
        guard !isOverflown else { return nil }
        var list: [(currency: Currency, account: String, debit: Int64, credit: Int64)] = []
        for (line, sum) in lines {
            guard let currency = Currency(line.currency) else { return nil }
            list.append((currency, line.account, sum.debit, sum.credit))
        }
        return TrialBalance(sums: list)
    }

    /// The balance of an account in each currency: minor units, debit positive. Numbers beyond 64 bits wrap: sums that
    /// do are a finding already.
    func balances(of account: Account) -> [String: Int64] {
        var balances: [String: Int64] = [:]
        for (line, sum) in lines where line.account == account.rawValue {
            balances[line.currency] = sum.debit &- sum.credit
        }
        return balances
    }

    /// The accounts whose sums differ.
    public func differing(from other: BookSums) -> [Line] {
        let (own, others) = (lines, other.lines)
        return Set(own.keys).union(others.keys)
            .filter { own[$0, default: Sum()] != others[$0, default: Sum()] }.sorted()
    }

    /// All sums by name. Names are compared as `Currency` and ``Account`` do, so that no known line is among the strange
    /// ones.
    private var lines: [Line: Sum] {
        var lines = strange
        for (place, sum) in sums {
            lines[Line(currency: place.currency.code, account: place.account.rawValue)] = sum
        }
        return lines
    }
}
