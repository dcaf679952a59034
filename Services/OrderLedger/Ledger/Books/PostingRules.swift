import Contracts

/// One version of the rules that turn moved money into postings.
public struct PostingRules: Sendable {
    /// The lines for a movement; parts of zero have none.
    public let postings: @Sendable (Movement) -> [Posting]

    public init(_ postings: @escaping @Sendable (Movement) -> [Posting]) {
        self.postings = postings
    }

    /// In use from the journal's beginning, for money that was taken or received. Its reader knows no other movement.
    public static let v1 = Self { lines($0) }

    /// In use since authorisations, captures, voids and refunds.
    ///
    /// A hold is a debit of ``Account/authorisedHolds`` and a credit of ``Account/holds``, and is reversed when it ends.
    /// A capture is posted like a sale, by its parts. A void reverses exactly what was posted. A refund reverses the parts
    /// that it gives back. What acquirer and bank tell is posted as ``SettlementPostings`` says.
    public static let v2 = Self { lines($0) }

    private static func lines(_ movement: Movement) -> [Posting] {
        switch movement {
        case .taken(let totals):
            [
                Posting(.acquirerReceivable, totals.total), Posting(.discounts, totals.discount),
                Posting(.sales, -totals.subtotal), Posting(.shipping, -totals.shipping),
                Posting(.taxPayable, -totals.tax),
            ].filter { $0.amount != 0 }
        case .received(let amount, let account):
            [Posting(.acquirerReceivable, amount.minorUnits), Posting(account, -amount.minorUnits)]
        case .held(let amount):
            [Posting(.authorisedHolds, amount.minorUnits), Posting(.holds, -amount.minorUnits)]
        case .settled(let net, let fee, let account):
            SettlementPostings.row(net.minorUnits, fee: fee, account)
        case .disputed(let net): SettlementPostings.dispute(net.minorUnits)
        case .paidOut(let amount): SettlementPostings.payOut(amount.minorUnits)
        case .reversed(let movement):
            lines(movement).map { Posting($0.account, -$0.amount) }
        }
    }

    /// Whether money for `totals` can be booked: something is due, and both sides of the entry fit 64 bits.
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
