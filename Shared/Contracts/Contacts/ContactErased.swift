import OrchardJSON

/// The contacts of an order were erased (`orchard.contact.erased.v1` on ``Topic/erasures``).
///
/// order-ledger writes it with the erasure and reads it back when its database was restored from an older state: what was
/// erased stays erased. It is kept for ever, and holds nothing of the contact.
public struct ContactErased: Hashable, Sendable {
    public static let type = "orchard.contact.erased.v1"

    public let order: OrderID
    public let merchant: MerchantID

    public init(order: OrderID, merchant: MerchantID) {
        self.order = order
        self.merchant = merchant
    }

    /// The event's identifier: an order's contacts are erased once.
    public var id: EventID { EventID(of: order, transition: 0, type: Self.type) }
}

extension ContactErased: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant): (OrderID?, MerchantID?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            default: try reader.skip()
            }
        }
        self.init(order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
    }
}
