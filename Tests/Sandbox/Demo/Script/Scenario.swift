/// What happens to an order of the script.
enum Scenario: String, CaseIterable, Sendable {
    // Money moves.
    case charged
    /// The customer chooses a dearer shipping method and pays with the new ticket.
    case repriced
    /// The acquirer accepts the charge and the connection breaks before its answer.
    case lostAnswer
    /// The acquirer answers "accepted" and never notifies: only the query at 3 seconds can find the result.
    case lostNotification
    /// Neither answer nor notification: again only the query can find the result.
    case silence
    /// The same token is sent twice at once, to both token-ingests.
    case duplicateToken
    /// Two tokens for one order at once: one pays, the other is refused.
    case twoTokens
    /// The device uses the ticket from before a dearer shipping method was chosen: the paid offer becomes the order.
    case oldTicket
    /// The first token is declined, the second one pays.
    case secondTry

    /// The customer types a wrong coupon code, then a right one.
    case coupon
    /// The customer chooses an address that no method serves, then one that only a dearer method serves.
    case address
    /// The customer selects a credit card, for which the shop has a surcharge.
    case cardType

    // Money moves, and some of it moves again.
    /// All is given back.
    case refunded
    /// A part is given back, then another one; a third is more than what is left.
    case partialRefunds
    /// Two refunds at once, each of more than half.
    case twoRefunds
    /// The sale is undone on its day.
    case voided
    /// An amount is held, and less is taken.
    case captured
    /// An amount is held, and more is taken: as much as 15 % more is allowed.
    case capturedAbove
    /// An estimate is held; its final lines are set and taken, with a tip.
    case finalised
    /// An amount is held, and nothing is taken.
    case holdVoided
    /// The acquirer gives money back, and neither its answer nor its notification comes.
    case lostRefund
    /// The acquirer declines a charge and takes it all the same: all of it is given back by itself.
    case lateSuccess
    /// The sale is undone when its day at the acquirer is over: the void is refused there and becomes a refund.
    case voidedLate

    // No money moves.
    case frozenCard, incorrectPIN, insufficientFunds
    /// Accepted first, declined by the notification and the query.
    case lateDecline
    /// A kind of card data that no acquirer of the merchant accepts.
    case cryptogram
    /// The token was made for another amount.
    case wrongAmount
    /// The token was made for another order.
    case otherOrder
    case forgedToken
    /// The command reaches the gateway after its ticket has expired.
    case waitedTooLong
    /// Cancelled before any payment; a token sent afterwards is refused.
    case cancelled
    /// Nobody pays it before its time is over: the ledger asks and the gateway closes it.
    case expired

    // Either.
    /// A cancel and a charge at about the same moment: paid and not cancelled, or cancelled and not charged.
    case cancelRace

    /// The simulator's fault for the order's first token.
    var fault: ScriptedFault? {
        switch self {
        case .lostAnswer: ScriptedFault(digits: 700, name: "lost_answer")
        case .lostNotification: ScriptedFault(digits: 720, name: "no_notification")
        case .silence: ScriptedFault(digits: 740, name: "silent_paid")
        case .frozenCard: ScriptedFault(digits: 863, name: "declined_63")
        case .insufficientFunds, .secondTry: ScriptedFault(digits: 864, name: "declined_64")
        case .incorrectPIN: ScriptedFault(digits: 865, name: "declined_65")
        case .lateSuccess: ScriptedFault(digits: 760, name: "declined_then_paid")
        case .lateDecline: ScriptedFault(digits: 964, name: "late_declined_64")
        default: nil
        }
    }

    /// The simulator's fault for the order's refund.
    var refundFault: ScriptedFault? {
        self == .lostRefund ? ScriptedFault(digits: 740, name: "silent_paid") : nil
    }

    /// Whether no notification comes, so that only the query three seconds after the send can find the result.
    var isFoundByQuery: Bool { self == .lostNotification || self == .silence }

    /// The share of this kind: so many of a hundred orders.
    var share: Int {
        switch self {
        case .charged: 25
        case .repriced: 6
        case .lostAnswer, .lostNotification, .silence, .frozenCard, .incorrectPIN, .insufficientFunds: 3
        case .duplicateToken, .twoTokens, .secondTry, .cryptogram, .wrongAmount, .cancelRace: 3
        case .oldTicket, .lateDecline, .otherOrder, .forgedToken, .waitedTooLong, .cancelled, .expired: 2
        case .refunded, .partialRefunds, .voided, .captured: 2
        case .twoRefunds, .holdVoided, .capturedAbove, .finalised, .lostRefund, .voidedLate, .lateSuccess: 1
        case .coupon: 1
        case .address, .cardType: 2
        }
    }

    /// One line for the summary.
    var title: String {
        switch self {
        case .charged: "charged"
        case .repriced: "charged after another shipping method was chosen"
        case .lostAnswer: "the acquirer's answer was lost"
        case .lostNotification: "the acquirer's notification was lost"
        case .silence: "neither answer nor notification; found by the query"
        case .duplicateToken: "the same token twice at once"
        case .twoTokens: "two tokens for one order at once"
        case .oldTicket: "an old ticket after a dearer shipping method"
        case .coupon: "a wrong coupon code, then a right one"
        case .address: "an address that is not served, then a dearer one"
        case .cardType: "a credit card with a surcharge"
        case .secondTry: "declined first, paid with another token"
        case .refunded: "refunded"
        case .partialRefunds: "two partial refunds, a third above the rest"
        case .twoRefunds: "two refunds at once, each of more than half"
        case .voided: "the sale undone on its day"
        case .captured: "held, and less was captured"
        case .capturedAbove: "held, and more was captured"
        case .finalised: "an estimate held, then the final lines and a tip captured"
        case .holdVoided: "held, and released"
        case .lostRefund: "a refund whose answer was lost; found by the query"
        case .lateSuccess: "declined, then taken after all; given back by itself"
        case .voidedLate: "undone after the acquirer's day: refunded instead"
        case .frozenCard: "frozen card"
        case .incorrectPIN: "wrong PIN"
        case .insufficientFunds: "insufficient funds"
        case .lateDecline: "accepted first, declined later"
        case .cryptogram: "3DSecure token, no route"
        case .wrongAmount: "token for another amount"
        case .otherOrder: "token of another order"
        case .forgedToken: "forged token"
        case .waitedTooLong: "command waited past its ticket"
        case .cancelled: "cancelled before it was paid"
        case .expired: "expired before it was paid"
        case .cancelRace: "a cancel raced the charge"
        }
    }
}
