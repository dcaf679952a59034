/// What the shop does after the payment.
enum FollowUpStep: Hashable, Sendable {
    /// Takes so much of the hold.
    case capture(Int64)
    /// Gives so much back.
    case refund(Int64)
    /// Gives back all that is left.
    case refundRest
    /// Undoes everything.
    case void
    /// Two refunds of so much each at the same moment, of which one only is possible.
    case twoRefunds(Int64)
    /// A refund of so much, which is more than is left: refused at once.
    case refusedRefund(Int64)

    /// How many entries the ledger makes of it: a capture ends the hold and takes the money.
    var entries: Int {
        switch self {
        case .capture: 2
        case .refund, .refundRest, .void, .twoRefunds: 1
        case .refusedRefund: 0
        }
    }

    /// What it changes of the money that the shop keeps, of so much that it has.
    func change(of kept: Int64) -> Int64 {
        switch self {
        case .capture(let amount): amount
        case .refund(let amount), .twoRefunds(let amount): -amount
        case .refundRest, .void: -kept
        case .refusedRefund: 0
        }
    }
}
