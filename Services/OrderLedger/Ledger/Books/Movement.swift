import Contracts

/// A movement of money, before posting rules make lines of it.
public enum Movement: Hashable, Sendable {
    /// Money was taken for the parts of an offer.
    case taken(OfferTotals)
    /// Money moved that an account owes.
    case received(Money, owedBy: Account)
    /// An amount is held on a card.
    case held(Money)
    /// A row of a settlement file: what it pays, its fee in minor units, and the account that it settles.
    case settled(Money, fee: Int64, of: Account)
    /// What the acquirer owes for a dispute; negative when it takes money back.
    case disputed(Money)
    /// The bank received money; negative when the acquirer collected it.
    case paidOut(Money)
    /// The same with the opposite sign.
    indirect case reversed(Movement)

    public var amount: Money {
        switch self {
        case .taken(let parts): parts.amount
        case .received(let amount, _), .held(let amount), .settled(let amount, _, _), .disputed(let amount),
            .paidOut(let amount):
            amount
        case .reversed(let movement): movement.amount
        }
    }
}

/// What the fold tells the posting rules: an entry to make for a fact.
public struct Booking: Hashable, Sendable {
    public let kind: EntryKind
    /// nil where no payment of ours is known.
    public let payment: PaymentID?
    public let movement: Movement

    public init(_ kind: EntryKind, of payment: PaymentID?, _ movement: Movement) {
        self.kind = kind
        self.payment = payment
        self.movement = movement
    }
}
