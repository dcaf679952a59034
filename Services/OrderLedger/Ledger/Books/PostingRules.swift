import Contracts

/// How facts become postings. The rules in force depend on the place in the journal alone, so that replay after an
/// upgrade posts what was posted then.
public enum PostingRules: Int16, Hashable, Sendable, CaseIterable {
    case v1 = 1

    /// The rules for facts at `position`: the first edition, from the journal's beginning. The next edition names the
    /// positions from which it holds here.
    public static func inForce(at position: JournalPosition) -> PostingRules { .v1 }

    /// Whether a sale of `totals` can be booked: something is due, and both sides of the entry fit 64 bits.
    public static func canPost(_ totals: OfferTotals) -> Bool {
        totals.total > 0 && !totals.total.addingReportingOverflow(totals.discount).overflow
    }

    /// The lines for a sale of `totals`; parts of zero have none.
    public func sale(_ totals: OfferTotals) -> [Posting] {
        [
            Posting(.acquirerReceivable, totals.total), Posting(.discounts, totals.discount),
            Posting(.sales, -totals.subtotal), Posting(.shipping, -totals.shipping), Posting(.taxPayable, -totals.tax),
        ].filter { $0.amount != 0 }
    }

    /// The lines for money that moved but is no sale.
    public func receipt(_ amount: Int64, owedTo account: Account) -> [Posting] {
        [Posting(.acquirerReceivable, amount), Posting(account, -amount)]
    }
}
