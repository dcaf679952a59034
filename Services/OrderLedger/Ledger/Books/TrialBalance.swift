import Contracts

/// The sums of all accounts, and the proof that the books balance.
public struct TrialBalance: Hashable, Sendable {
    /// The sum of one account in one currency.
    public struct Line: Hashable, Sendable {
        public let currency: Currency
        /// One of ``Account``, or another text in a changed database.
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
    /// - Returns: nil when the sums of a currency exceed 64 bits.
    public init?(sums: [(currency: Currency, account: String, debit: Int64, credit: Int64)]) {
        let chart = Dictionary(uniqueKeysWithValues: Account.allCases.enumerated().map { ($1.rawValue, $0) })
        lines = sums.sorted {
            ($0.currency.code, chart[$0.account] ?? .max) < ($1.currency.code, chart[$1.account] ?? .max)
        }.map { Line(currency: $0.currency, account: $0.account, amount: $0.debit - $0.credit) }
        var totals: [Total] = []
        for currency in Set(sums.map(\.currency)).sorted(by: { $0.code < $1.code }) {
            var (debit, credit) = (Money.zero(currency), Money.zero(currency))
            for sum in sums where sum.currency == currency {
                guard let debits = debit.adding(Money(minorUnits: sum.debit, currency: currency)),
                    let credits = credit.adding(Money(minorUnits: sum.credit, currency: currency))
                else { return nil }
                (debit, credit) = (debits, credits)
            }
            totals.append(Total(currency: currency, debit: debit.minorUnits, credit: credit.minorUnits))
        }
        self.totals = totals
    }
}
