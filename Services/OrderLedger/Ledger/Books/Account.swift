/// The chart of accounts. Debits are positive, credits negative; every merchant has each account in each currency.
public enum Account: String, Hashable, Sendable, CaseIterable {
    /// Asset: what the acquirer took from cards and has not paid out yet.
    case acquirerReceivable = "assets:acquirer-receivable"
    /// Liability: tax taken from customers for the state.
    case taxPayable = "liabilities:tax-payable"
    /// Liability: money that moved although it should not have, owed back to the cardholder.
    case refundsDue = "liabilities:refunds-due"
    /// Liability: money that moved in another amount than the offer's; a person must find out what it is.
    case unallocatedReceipts = "liabilities:unallocated-receipts"
    /// Income: goods at their full price.
    case sales = "income:sales"
    /// Income: shipping.
    case shipping = "income:shipping"
    /// Income, reduced: what discounts took off the goods.
    case discounts = "income:discounts"
}
