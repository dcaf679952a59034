/// What the shop does after the payment.
enum FollowUpStep: Hashable, Sendable {
    /// Takes so much of the hold.
    case capture(Int64)
    /// Sets the final lines of an estimate, and takes what they cost.
    case finalise(FinalLines)
    /// Gives so much back.
    case refund(Int64)
    /// Gives back all that is left.
    case refundRest
    /// The gateway gives back all by itself.
    case givenBack
    /// Undoes everything.
    case void
    /// Undoes everything when the sale's day at the acquirer is over: all is given back instead.
    case voidAfterDay
    /// Two refunds of so much each at the same moment, of which one only is possible.
    case twoRefunds(Int64)
    /// A refund of so much, which is more than is left: refused at once.
    case refusedRefund(Int64)

    /// How many entries the ledger makes of it: a capture ends the hold and takes the money.
    var entries: Int {
        switch self {
        case .capture, .finalise: 2
        case .refund, .refundRest, .givenBack, .void, .voidAfterDay, .twoRefunds: 1
        case .refusedRefund: 0
        }
    }

    /// What it changes of the money that the shop keeps, of so much that it has.
    func change(of kept: Int64) -> Int64 {
        switch self {
        case .capture(let amount): amount
        case .finalise(let lines): lines.total
        case .refund(let amount), .twoRefunds(let amount): -amount
        case .refundRest, .givenBack, .void, .voidAfterDay: -kept
        case .refusedRefund: 0
        }
    }

    /// `txnType` of its row in the acquirer's file; nil for none.
    ///
    /// - Parameter isVoided: whether a void was done as one.
    func filedKind(isVoided: Bool) -> String? {
        switch self {
        case .capture, .finalise: "03"
        case .refund, .refundRest, .givenBack, .twoRefunds, .voidAfterDay: "04"
        case .void: isVoided ? "31" : "04"
        case .refusedRefund: nil
        }
    }
}

/// The final lines of an order whose total was an estimate, in fen.
struct FinalLines: Hashable, Sendable {
    /// The prices of the two lines, and the tax on the first.
    let first, second, tax: Int64
    let tip: Int64
    /// What stays as it was: shipping less discounts.
    let rest: Int64

    var total: Int64 { first + second + tax + tip + rest }
}
