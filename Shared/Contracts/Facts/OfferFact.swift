/// An order was opened (revision 1) or repriced: what its offer of that revision adds up to.
///
/// Goods are not listed: the journal is kept for ever and holds no personal data.
public struct OfferFact: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let revision: Int64
    public let totals: OfferTotals
    public let shippingMethod: String?
    /// SHA-256 over the lines of the offer, as in the ticket.
    public let linesDigest: [UInt8]
    public let partitions: Int32

    public init(
        order: OrderID, merchant: MerchantID, revision: Int64, totals: OfferTotals, shippingMethod: String?,
        linesDigest: [UInt8], partitions: Int32
    ) {
        self.order = order
        self.merchant = merchant
        self.revision = revision
        self.totals = totals
        self.shippingMethod = shippingMethod
        self.linesDigest = linesDigest
        self.partitions = partitions
    }
}
