import OrchardJSON

/// The parts of an offer's total, in minor units of its currency. The books post each part separately.
///
/// `total = subtotal − discount + shipping + tax`, each part at least zero.
public struct OfferTotals: Hashable, Sendable {
    public let currency: Currency
    /// Goods before discounts.
    public let subtotal: Int64
    /// The sum of the discounts, as a positive number.
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

extension OfferTotals: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (currency, subtotal, discount, shipping, tax, total): (Currency?, Int64?, Int64?, Int64?, Int64?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "currency": currency = try reader.currency()
            case "discount": discount = try reader.minorUnits()
            case "shipping": shipping = try reader.minorUnits()
            case "subtotal": subtotal = try reader.minorUnits()
            case "tax": tax = try reader.minorUnits()
            case "total": total = try reader.minorUnits()
            default: try reader.skip()
            }
        }
        let totals = OfferTotals(
            currency: try reader.required(currency, "currency"), subtotal: try reader.required(subtotal, "subtotal"),
            discount: try reader.required(discount, "discount"), shipping: try reader.required(shipping, "shipping"),
            tax: try reader.required(tax, "tax"))
        guard let totals, totals.total == (try reader.required(total, "total")) else {
            throw reader.error(.value, "the parts do not add up to the total")
        }
        self = totals
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("currency", currency.code)
        object.member("discount", discount)
        object.member("shipping", shipping)
        object.member("subtotal", subtotal)
        object.member("tax", tax)
        object.member("total", total)
    }
}
