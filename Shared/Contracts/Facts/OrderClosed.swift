import OrchardJSON

/// The gateway closed an order unpaid: nothing can pay it any more. A successful payment closes its order without it.
public struct OrderClosed: Hashable, Sendable {
    /// Why.
    public enum Reason: String, Sendable, CaseIterable {
        case cancelled
        /// Its time was over.
        case expired
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let reason: Reason
    /// The command that closed it.
    public let command: CommandID?

    public init(order: OrderID, merchant: MerchantID, reason: Reason, command: CommandID? = nil) {
        self.order = order
        self.merchant = merchant
        self.reason = reason
        self.command = command
    }
}

extension OrderClosed: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, reason, command): (OrderID?, MerchantID?, Reason?, CommandID?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "commandId": command = try reader.identifier()
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "reason": reason = try reader.word()
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            reason: try reader.required(reason, "reason"), command: command)
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("commandId", command?.description)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("reason", reason.rawValue)
    }
}
