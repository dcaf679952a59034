/// The chart of accounts. Debits are positive, credits negative; every merchant has each account in each currency.
public enum Account: String, Hashable, Sendable, CaseIterable {
    /// Asset: what the acquirer collected from cards and has not paid out yet.
    case acquirerReceivable = "assets:acquirer-receivable"
    /// Asset: what the acquirer's settlement files say that it will pay to the bank.
    case bankReceivable = "assets:bank-receivable"
    /// Asset: money in the bank.
    case bank = "assets:bank"
    /// Asset: money that the acquirer took back for disputes that are not decided.
    case disputes = "assets:disputes"
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
    /// Expense: what the acquirer keeps of each transaction, less what it gives back.
    case acquirerFees = "expenses:acquirer-fees"

    /// The account of a name; nil when there is none. The compiler's own would compare it with one name after the other,
    /// and an audit reads every line of the books.
    public init?(rawValue: String) {
        guard let account = Self.byName[rawValue] else { return nil }
        self = account
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
