/// The gateway closed an order: nothing can pay it any more.
public struct OrderClosed: Hashable, Sendable {
    public enum Reason: String, Sendable, CaseIterable {
        case paid, cancelled, expired
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let reason: Reason
    /// The payment that paid it.
    public let payment: PaymentID?
    /// The command that cancelled it.
    public let command: CommandID?

    public init(
        order: OrderID, merchant: MerchantID, reason: Reason, payment: PaymentID? = nil, command: CommandID? = nil
    ) {
        self.order = order
        self.merchant = merchant
        self.reason = reason
        self.payment = payment
        self.command = command
    }
}
