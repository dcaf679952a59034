import OrchardCrypto
import OrchardJSON

/// The contact of a payment, sealed for order-ledger (`orchard.contact.received.v1` on ``Topic/contacts``).
///
/// It is written before the command to charge, so that no money is taken for goods that cannot be shipped. It is no fact
/// of the journal: contacts are erased, facts are kept.
public struct ContactReceived: Hashable, Sendable {
    public static let type = "orchard.contact.received.v1"
    /// The most bytes of the sealed text.
    public static let maximumSize = 65_536

    public let order: OrderID
    public let merchant: MerchantID
    public let payment: PaymentID
    /// An ``OrderContact``, a compact JWE for order-ledger (`apu` = payment id, `apv` = order id).
    public let sealedContact: String

    public init(order: OrderID, merchant: MerchantID, payment: PaymentID, sealedContact: String) {
        self.order = order
        self.merchant = merchant
        self.payment = payment
        self.sealedContact = sealedContact
    }

    /// The event's identifier: the same for every contact of this payment of the order.
    public var id: EventID {
        EventID(of: OperationID(chargeOf: payment, order: order), transition: 0, type: Self.type)
    }
}

extension ContactReceived: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, payment): (OrderID?, MerchantID?, PaymentID?)
        var sealedContact: String?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "paymentId": payment = try reader.identifier()
            case "sealedContact": sealedContact = try reader.compactForm()
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            payment: try reader.required(payment, "paymentId"),
            sealedContact: try reader.required(sealedContact, "sealedContact"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("paymentId", payment.description)
        object.member("sealedContact", sealedContact)
    }
}
