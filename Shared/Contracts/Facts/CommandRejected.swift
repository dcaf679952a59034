/// The gateway refused a shop's command: nothing changed.
public struct CommandRejected: Hashable, Sendable {
    /// Why.
    public enum Reason: String, Sendable, CaseIterable {
        /// A charge of the order was accepted and has no outcome yet.
        case chargeInProgress
        case orderPaid
        case orderClosed
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let command: CommandID
    /// The CloudEvents type of the command.
    public let commandType: String
    public let reason: Reason

    public init(order: OrderID, merchant: MerchantID, command: CommandID, commandType: String, reason: Reason) {
        self.order = order
        self.merchant = merchant
        self.command = command
        self.commandType = commandType
        self.reason = reason
    }
}
