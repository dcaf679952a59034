/// Why a payment was declined, as shops and devices can use it.
public enum DeclineReason: String, Sendable, CaseIterable {
    // Reasons of the gateway, allowed only when no send can have happened.
    /// Before a send, the ticket expired or the transaction became too old for the acquirer.
    case expired
    /// The command or its card data cannot be read.
    case unreadable
    /// The acquirer's request cannot be built: card data or EMV do not have the acquirer's form.
    case unsendable
    /// No acquirer of the merchant accepts this currency or kind of card data.
    case noRoute

    // Reasons of the acquirer or the issuer.
    case insufficientFunds
    /// Frozen, lost or stolen.
    case frozenCard
    case incorrectPIN
    case pinTriesExceeded
    case expiredCard
    case invalidCard
    /// The issuer declined without a useful reason.
    case issuerDeclined
    /// Declined as a risk.
    case risk
    /// The merchant's set-up at the acquirer does not allow it, or our request was wrong: an operator must check.
    case configuration
    case other
}

/// Why a charge was refused before it became an operation.
public enum RefusalReason: String, Sendable, CaseIterable {
    /// Another charge of the order was accepted and has no outcome yet.
    case orderBusy
    /// Another charge paid the order.
    case orderPaid
    /// The order was cancelled or has expired.
    case orderClosed
    /// The token already pays another order.
    case tokenReused
}
