import Contracts

/// What becomes of one attempt to pay.
enum PaymentDecision: Equatable {
    /// Ask the gateway to charge.
    case charge(ChargeRequested)
    /// It was taken before: answer the same, and publish nothing.
    case known(PaymentID)
    /// Turn it away and tell order-ledger.
    case reject(PaymentRejected, PaymentRejection)
    /// The token or the ticket has had its time: whether it was taken before, only its status knows. Nothing is told.
    case late(PaymentID, message: String)
    /// Nothing can be sealed now; the same body will do later.
    case unsealable
    /// The ticket's merchant is not in this worker's `merchants.json`; the same body will do later, or elsewhere now.
    case merchantMissing
}
