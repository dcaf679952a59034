import Contracts
import OrchardCrypto

/// What a shop's server asks for: goods, discounts and ways to ship them, in one currency.
public struct OfferRequest: Hashable, Sendable {
    public let currency: Currency
    /// At least one.
    public let lines: [OfferLine]
    public let discounts: [OfferDiscount]
    /// None for goods that are not shipped. Identifiers differ.
    public let shippingMethods: [ShippingMethod]
    /// The identifier of the method that the sheet starts with; the first one when the shop does not say.
    public let shippingMethod: String?
    /// The merchant to be paid; must be the API key's.
    public let payee: MerchantID?
    /// The shop's own number for the order; stored and told back, never in the journal.
    public let reference: String?

    public init(
        currency: Currency, lines: [OfferLine], discounts: [OfferDiscount] = [],
        shippingMethods: [ShippingMethod] = [], shippingMethod: String? = nil, payee: MerchantID? = nil,
        reference: String? = nil
    ) {
        self.currency = currency
        self.lines = lines
        self.discounts = discounts
        self.shippingMethods = shippingMethods
        self.shippingMethod = shippingMethod ?? shippingMethods.first?.identifier
        self.payee = payee
        self.reference = reference
    }

    /// SHA-256 over currency, lines and discounts in canonical bytes: what the ticket binds of the goods.
    public var linesDigest: [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(currency.code)
        bytes.append(lines) { bytes, line in
            bytes.append(line.label)
            bytes.append(line.unitAmount)
            bytes.append(line.quantity)
            bytes.append(line.tax)
        }
        bytes.append(discounts) { bytes, discount in
            bytes.append(discount.label)
            bytes.append(discount.amount)
        }
        return SHA256.hash(bytes.bytes)
    }
}
