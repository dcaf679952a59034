/// Close this order unpaid: what a shop asks of the gateway, the arbiter of whether an order is open
/// (`orchard.cancel.requested.v1`).
public struct CancelRequested: Hashable, Sendable {
    public static let type = "orchard.cancel.requested.v1"

    public let command: CommandID
    public let order: OrderID
    public let merchant: MerchantID

    public init(command: CommandID, order: OrderID, merchant: MerchantID) {
        self.command = command
        self.order = order
        self.merchant = merchant
    }
}
