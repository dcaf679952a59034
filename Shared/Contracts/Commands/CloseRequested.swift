import OrchardJSON

/// Close this order unpaid: what order-ledger asks of the gateway, the arbiter of whether an order is open
/// (`orchard.cancel.requested.v1`, `orchard.expire.requested.v1`). It travels signed (``SignedCommand``).
public struct CloseRequested: Hashable, Sendable {
    /// Cancelled by a shop or a customer, or expired.
    public let reason: OrderClosed.Reason
    public let command: CommandID
    public let order: OrderID
    public let merchant: MerchantID
    /// The number of partitions when the order was opened.
    public let partitions: Int32

    public init(
        _ reason: OrderClosed.Reason = .cancelled, command: CommandID, order: OrderID, merchant: MerchantID,
        partitions: Int32
    ) {
        precondition(partitions >= 1, "a topic has at least one partition")
        self.reason = reason
        self.command = command
        self.order = order
        self.merchant = merchant
        self.partitions = partitions
    }

    /// The command's type: each reason has its own.
    public var type: CommandType { Self.type(of: reason) }

    static func type(of reason: OrderClosed.Reason) -> CommandType {
        switch reason {
        case .cancelled: .cancel
        case .expired: .expire
        }
    }

    /// The partition of everything that concerns the order.
    public var partition: Int32 { Partitioner.partition(of: order, among: partitions) }
}

/// The claims of the signed command. As in a ticket, claims that are not known are refused.
extension CloseRequested: ContractValue {
    static let issuer = OrderTicket.issuer
    static let audience = "charge-gateway"

    public init(json reader: inout JSONReader) throws(JSONError) {
        var (command, order, merchant, partitions): (CommandID?, OrderID?, MerchantID?, Int?)
        var (issuer, audience, type): (String?, String?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "aud": audience = try reader.string(upTo: 64)
            case "commandId": command = try reader.identifier()
            case "iss": issuer = try reader.string(upTo: 64)
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "partitions": partitions = try reader.int(in: 1...Int(Int32.max))
            case "type": type = try reader.string(upTo: 64)
            default: throw reader.unknownMember()
            }
        }
        let text = try reader.required(type, "type")
        let reason = OrderClosed.Reason.allCases.first { reason in
            CloseRequested.type(of: reason).rawValue == text
        }
        guard try reader.required(issuer, "iss") == Self.issuer, try reader.required(audience, "aud") == Self.audience,
            let reason
        else { throw reader.error(.value, "the command is from or for somebody else, or another one") }
        self.init(
            reason, command: try reader.required(command, "commandId"), order: try reader.required(order, "orderId"),
            merchant: try reader.required(merchant, "merchantId"),
            partitions: Int32(try reader.required(partitions, "partitions")))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("aud", Self.audience)
        object.member("commandId", command.description)
        object.member("iss", Self.issuer)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("partitions", Int64(partitions))
        object.member("type", type.rawValue)
    }
}
