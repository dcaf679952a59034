/// Why a charge was refused without becoming an operation.
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
