import Contracts

/// How money that moved becomes postings: one version of it.
public struct PostingRules: Sendable {
    /// The lines for a sale; parts of zero have none.
    public let sale: @Sendable (OfferTotals) -> [Posting]
    /// The lines for money that moved but is no sale: the amount in minor units, and the account that owes it.
    public let receipt: @Sendable (Int64, Account) -> [Posting]

    /// From the journal's beginning.
    public static let v1 = Self(
        sale: { totals in
            [
                Posting(.acquirerReceivable, totals.total), Posting(.discounts, totals.discount),
                Posting(.sales, -totals.subtotal), Posting(.shipping, -totals.shipping),
                Posting(.taxPayable, -totals.tax),
            ].filter { $0.amount != 0 }
        },
        receipt: { amount, account in [Posting(.acquirerReceivable, amount), Posting(account, -amount)] })

    /// Whether a sale of `totals` can be booked: something is due, and both sides of the entry fit 64 bits.
    public static func canPost(_ totals: OfferTotals) -> Bool {
        totals.total > 0 && !totals.total.addingReportingOverflow(totals.discount).overflow
    }
}
