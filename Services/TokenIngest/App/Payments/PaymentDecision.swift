import Contracts

/// The result of one attempt to pay.
enum PaymentDecision: Equatable {
    /// Send order-ledger the contact, if there is one, and then the gateway the command to charge.
    case charge(ChargeRequested, ContactReceived?)
    /// The payment was accepted before: give the same answer, and publish nothing.
    case known(PaymentID)
    /// Reject the attempt and publish `payment.rejected`.
    case reject(PaymentRejected, PaymentRejection)
    /// Expired. The payment may exist already: ask for its status. No fact is published.
    case late(PaymentID, message: String)
    /// Nothing can be sealed now; the same body can succeed later.
    case unsealable
    /// The ticket's merchant is not in this worker's `merchants.json`; the same body can succeed later, or now at
    /// another worker.
    case merchantMissing
}
