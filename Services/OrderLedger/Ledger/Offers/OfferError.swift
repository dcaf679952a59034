/// Why the goods cannot be offered as requested.
public struct OfferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// A sum does not fit 64 bits.
        case amountTooLarge
        /// The discounts exceed the price of the goods.
        case discountTooLarge
        /// Nothing would be due: Apple Pay takes no payment of zero.
        case nothingDue
        /// More than the merchant's limit for one order.
        case aboveLimit
        /// No shipping method has this identifier.
        case unknownShippingMethod
        /// The API key is another merchant's, or the merchant may not name another payee.
        case otherPayee
        /// No coupon has this code.
        case unknownCoupon
        /// No route of the merchant can charge it.
        case noRoute
        /// The merchant cannot check what type a card has.
        case uncheckedCardType
        /// Something that the sheet must show is missing.
        case missing
        /// Something contradicts the rest of the order.
        case contradiction
        /// The order would end too soon, or too late.
        case expiry
    }

    public let code: Code
    /// The member of the request concerned, as in `lines[2].unitAmount`.
    public let field: String
    /// What is wrong and what to do.
    public let reason: String

    public init(_ code: Code, field: String, _ reason: String) {
        self.code = code
        self.field = field
        self.reason = reason
    }

    public var description: String { "\(field): \(reason) (\(code.rawValue))" }
}
