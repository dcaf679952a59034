/// The chart of accounts. Debits are positive, credits negative; every merchant has each account in each currency.
public enum Account: String, Hashable, Sendable, CaseIterable {
    /// Asset: what the acquirer collected from cards and has not paid out yet.
    case acquirerReceivable = "assets:acquirer-receivable"
    /// Asset of the holds: what the open authorisations hold on cards. It is no money yet, and ``holds`` is as much.
    case authorisedHolds = "assets:authorised-holds"
    /// Liability: tax collected from customers for the state.
    case taxPayable = "liabilities:tax-payable"
    /// Liability: money that moved although it should not have, owed back to the cardholder.
    case refundsDue = "liabilities:refunds-due"
    /// Liability: money that moved in another amount than the offer's; an operator must find out what it is.
    case unallocatedReceipts = "liabilities:unallocated-receipts"
    /// The other side of ``authorisedHolds``: a hold is neither income nor debt.
    case holds = "liabilities:holds"
    /// Income: goods at their full price.
    case sales = "income:sales"
    /// Income: shipping.
    case shipping = "income:shipping"
    /// Income, reduced: discounts on the goods.
    case discounts = "income:discounts"
}
