import OrchardCrypto
import OrchardJSON

extension OfferFact: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, revision, totals): (OrderID?, MerchantID?, Int64?, OfferTotals?)
        var (shippingMethod, linesDigest, partitions): (String?, [UInt8]?, Int?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "linesDigest": linesDigest = try reader.hex(bytes: 32)
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "partitions": partitions = try reader.int(in: 1...Int(Int32.max))
            case "revision": revision = Int64(try reader.int(in: 1...Int.max))
            case "shippingMethod": shippingMethod = try reader.string(upTo: 64)
            case "totals": totals = try OfferTotals(json: &reader)
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            revision: try reader.required(revision, "revision"), totals: try reader.required(totals, "totals"),
            shippingMethod: shippingMethod, linesDigest: try reader.required(linesDigest, "linesDigest"),
            partitions: Int32(try reader.required(partitions, "partitions")))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("linesDigest", Hex.encode(linesDigest))
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("partitions", Int64(partitions))
        object.member("revision", revision)
        object.member("shippingMethod", shippingMethod)
        object.object("totals") { totals.write(to: &$0) }
    }
}
