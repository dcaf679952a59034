import Contracts

/// The sums of all accounts: what the books say, and the proof that they balance.
public struct TrialBalance: Hashable, Sendable {
    /// The sum of one account in one currency.
    public struct Line: Hashable, Sendable {
        public let currency: Currency
        /// One of ``Account``, or what somebody else wrote there.
        public let account: String
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

    /// By currency code, then in the order of the chart; accounts that are not in it come last.
    public let lines: [Line]
    /// By currency code: all debit postings and all credit postings.
    public let totals: [Total]

    /// - Parameter sums: debit and credit sums (both positive) by currency and account.
    public init(sums: [(currency: Currency, account: String, debit: Int64, credit: Int64)]) {
        let chart = Dictionary(uniqueKeysWithValues: Account.allCases.enumerated().map { ($1.rawValue, $0) })
        lines = sums.sorted {
            ($0.currency.code, chart[$0.account] ?? .max) < ($1.currency.code, chart[$1.account] ?? .max)
        }.map { Line(currency: $0.currency, account: $0.account, amount: $0.debit - $0.credit) }
        let currencies = Set(sums.map(\.currency)).sorted { $0.code < $1.code }
        totals = currencies.map { currency in
            let own = sums.filter { $0.currency == currency }
            return Total(
                currency: currency, debit: own.reduce(0) { $0 + $1.debit }, credit: own.reduce(0) { $0 + $1.credit })
        }
    }
}
