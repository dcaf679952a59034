/// Close this order unpaid: what a shop asks of the gateway, the arbiter of whether an order is open
/// (`orchard.cancel.requested.v1`). It travels signed (``SignedCommand``).
public struct CancelRequested: Hashable, Sendable {
    public static let type = CommandType.cancel.rawValue

    public let command: CommandID
    public let order: OrderID
    public let merchant: MerchantID
    /// The number of partitions when the order was opened.
    public let partitions: Int32

    public init(command: CommandID, order: OrderID, merchant: MerchantID, partitions: Int32) {
        precondition(partitions >= 1, "a topic has at least one partition")
        self.command = command
        self.order = order
        self.merchant = merchant
        self.partitions = partitions
    }

    /// The partition of everything that concerns the order.
    public var partition: Int32 { Partitioner.partition(of: order, among: partitions) }
}
