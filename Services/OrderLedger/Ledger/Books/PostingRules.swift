import Contracts

/// One version of the rules that turn moved money into postings.
public struct PostingRules: Sendable {
    /// The lines for a sale; parts of zero have none.
    public let sale: @Sendable (OfferTotals) -> [Posting]
    /// The lines for money that moved but is no sale: the amount in minor units, and the account that owes it.
    public let receipt: @Sendable (Int64, Account) -> [Posting]

    /// In use from the journal's beginning.
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

/// One line of an entry.
public struct Posting: Hashable, Sendable {
    public let account: Account
    /// Minor units of the entry's currency; debit positive, credit negative, never zero.
    public let amount: Int64

    public init(_ account: Account, _ amount: Int64) {
        self.account = account
        self.amount = amount
    }
}

/// The chart of accounts. Debits are positive, credits negative; every merchant has each account in each currency.
public enum Account: String, Hashable, Sendable, CaseIterable {
    /// Asset: what the acquirer collected from cards and has not paid out yet.
    case acquirerReceivable = "assets:acquirer-receivable"
    /// Liability: tax collected from customers for the state.
    case taxPayable = "liabilities:tax-payable"
    /// Liability: money that moved although it should not have, owed back to the cardholder.
    case refundsDue = "liabilities:refunds-due"
    /// Liability: money that moved in another amount than the offer's; an operator must find out what it is.
    case unallocatedReceipts = "liabilities:unallocated-receipts"
    /// Income: goods at their full price.
    case sales = "income:sales"
    /// Income: shipping.
    case shipping = "income:shipping"
    /// Income, reduced: discounts on the goods.
    case discounts = "income:discounts"
}

/// Why an entry was made.
public enum EntryKind: String, Hashable, Sendable, CaseIterable {
    /// The order was paid.
    case sale
    /// Money moved after the payment had ended as not charged.
    case lateSuccess
    /// Money moved for an order that was closed or paid by another payment.
    case surplusSuccess
    /// Money moved in another amount than the offer's.
    case unallocatedSuccess
}
