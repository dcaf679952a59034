import OrchardCrypto
import OrchardJSON

/// An order was opened (revision 1) or repriced: the totals of the offer of that revision.
///
/// Goods are not listed: the journal is kept for ever and holds no personal data.
public struct OfferFact: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let revision: Int64
    public let totals: OfferTotals
    public let shippingMethod: String?
    /// The region of the customer's address that the price holds for. The books do not keep it.
    public let region: Region?
    /// The number of the coupon among the order's, from 1; never its code. The books do not keep it.
    public let coupon: Int?
    /// The type of card that the price holds for, if it depends on it. The books do not keep it.
    public let cardType: CardType?
    /// SHA-256 over the lines of the offer, as in the ticket.
    public let linesDigest: [UInt8]
    public let partitions: Int32

    public init(
        order: OrderID, merchant: MerchantID, revision: Int64, totals: OfferTotals, shippingMethod: String?,
        region: Region? = nil, coupon: Int? = nil, cardType: CardType? = nil, linesDigest: [UInt8], partitions: Int32
    ) {
        self.order = order
        self.merchant = merchant
        self.revision = revision
        self.totals = totals
        self.shippingMethod = shippingMethod
        (self.region, self.coupon, self.cardType) = (region, coupon, cardType)
        self.linesDigest = linesDigest
        self.partitions = partitions
    }
}

extension OfferFact {
    /// What the books keep of it.
    public var booked: OfferFact {
        OfferFact(
            order: order, merchant: merchant, revision: revision, totals: totals, shippingMethod: shippingMethod,
            linesDigest: linesDigest, partitions: partitions)
    }
}

extension OfferFact: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, revision, totals): (OrderID?, MerchantID?, Int64?, OfferTotals?)
        var (shippingMethod, linesDigest, partitions): (String?, [UInt8]?, Int?)
        var (region, coupon, cardType): (Region?, Int?, CardType?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "cardType": cardType = try reader.word()
            case "coupon": coupon = try reader.int(in: 1...1_000)
            case "linesDigest": linesDigest = try reader.hex(bytes: 32)
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "partitions": partitions = try reader.int(in: 1...Int(Int32.max))
            case "region": region = try reader.region()
            case "revision": revision = Int64(try reader.int(in: 1...Int.max))
            case "shippingMethod": shippingMethod = try reader.string(upTo: 64)
            case "totals": totals = try OfferTotals(json: &reader)
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            revision: try reader.required(revision, "revision"), totals: try reader.required(totals, "totals"),
            shippingMethod: shippingMethod, region: region, coupon: coupon, cardType: cardType,
            linesDigest: try reader.required(linesDigest, "linesDigest"),
            partitions: Int32(try reader.required(partitions, "partitions")))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("cardType", cardType?.rawValue)
        object.member("coupon", coupon)
        object.member("linesDigest", Hex.encode(linesDigest))
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("partitions", Int64(partitions))
        object.member("region", region?.description)
        object.member("revision", revision)
        object.member("shippingMethod", shippingMethod)
        object.object("totals") { totals.write(to: &$0) }
    }
}
