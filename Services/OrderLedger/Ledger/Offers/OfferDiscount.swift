/// Something taken off the price of the goods: a coupon, a volume discount.
public struct OfferDiscount: Hashable, Sendable {
    public let label: String
    /// What is taken off in minor units, as a positive number.
    public let amount: Int64

    public init(label: String, amount: Int64) {
        self.label = label
        self.amount = amount
    }
}
