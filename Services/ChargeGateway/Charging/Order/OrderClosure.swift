import Contracts

/// Why nothing can pay an order any more.
public struct OrderClosure: Hashable, Sendable {
    /// Why.
    public enum Reason: String, Sendable, CaseIterable {
        case paid, cancelled, expired
    }

    public let reason: Reason
    /// The payment that paid it.
    public let payment: PaymentID?
    /// The command that closed it.
    public let command: CommandID?

    public init(reason: Reason, payment: PaymentID? = nil, command: CommandID? = nil) {
        self.reason = reason
        self.payment = payment
        self.command = command
    }
}
