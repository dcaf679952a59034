/// What an offer's total is made of, in minor units of its currency: the books post each part by itself.
///
/// `total = subtotal − discount + shipping + tax`, each part at least zero.
public struct OfferTotals: Hashable, Sendable {
    public let currency: Currency
    /// Goods before discounts.
    public let subtotal: Int64
    /// Taken off, as a positive number.
    public let discount: Int64
    public let shipping: Int64
    public let tax: Int64
    public let total: Int64

    /// - Returns: nil when a part is negative or does not add up within 64 bits.
    public init?(currency: Currency, subtotal: Int64, discount: Int64, shipping: Int64, tax: Int64) {
        guard subtotal >= 0, discount >= 0, shipping >= 0, tax >= 0 else { return nil }
        let goods = Money(minorUnits: subtotal, currency: currency)
        guard let less = goods.adding(Money(minorUnits: -discount, currency: currency)), less.minorUnits >= 0,
            let shipped = less.adding(Money(minorUnits: shipping, currency: currency)),
            let sum = shipped.adding(Money(minorUnits: tax, currency: currency))
        else { return nil }
        self.currency = currency
        (self.subtotal, self.discount, self.shipping, self.tax) = (subtotal, discount, shipping, tax)
        total = sum.minorUnits
    }

    public var amount: Money { Money(minorUnits: total, currency: currency) }
}
