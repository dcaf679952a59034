import Contracts

/// The sums of all accounts: what the books say, and the proof that they balance.
public struct TrialBalance: Hashable, Sendable {
    /// The sum of one account in one currency.
    public struct Line: Hashable, Sendable {
        public let currency: Currency
        public let account: Account
        /// Minor units; debit positive.
        public let amount: Int64
    }

    /// Debits and credits of one currency; equal when the books balance.
    public struct Total: Hashable, Sendable {
        public let currency: Currency
        public let debit: Int64
        /// As a positive number.
        public let credit: Int64
        public var isBalanced: Bool { debit == credit }
    }

    /// By currency code, then in the order of the chart.
    public let lines: [Line]
    /// By currency code: all debit postings and all credit postings.
    public let totals: [Total]

    /// - Parameter sums: debit and credit sums (both positive) by currency and account.
    public init(sums: [(currency: Currency, account: Account, debit: Int64, credit: Int64)]) {
        let order = Dictionary(uniqueKeysWithValues: Account.allCases.enumerated().map { ($1, $0) })
        lines = sums.sorted {
            ($0.currency.code, order[$0.account] ?? 0) < ($1.currency.code, order[$1.account] ?? 0)
        }.map { Line(currency: $0.currency, account: $0.account, amount: $0.debit - $0.credit) }
        let currencies = Set(sums.map(\.currency)).sorted { $0.code < $1.code }
        totals = currencies.map { currency in
            let own = sums.filter { $0.currency == currency }
            return Total(
                currency: currency, debit: own.reduce(0) { $0 + $1.debit }, credit: own.reduce(0) { $0 + $1.credit })
        }
    }
}
