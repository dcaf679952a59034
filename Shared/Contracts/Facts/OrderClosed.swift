/// The gateway closed an order unpaid: nothing can pay it any more. A payment that succeeds closes its order by itself.
public struct OrderClosed: Hashable, Sendable {
    /// Why.
    public enum Reason: String, Sendable, CaseIterable {
        case cancelled
        /// Its time was over. Read for later versions: none tells it yet.
        case expired
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let reason: Reason
    /// The command that cancelled it.
    public let command: CommandID?

    public init(order: OrderID, merchant: MerchantID, reason: Reason, command: CommandID? = nil) {
        self.order = order
        self.merchant = merchant
        self.reason = reason
        self.command = command
    }
}
