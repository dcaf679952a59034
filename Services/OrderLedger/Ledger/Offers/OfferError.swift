/// Why goods cannot be offered as asked.
public struct OfferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// A sum does not fit 64 bits.
        case amountTooLarge
        /// The discounts exceed the goods.
        case discountTooLarge
        /// Nothing would be due: Apple Pay takes no payment of zero.
        case nothingDue
        /// More than the merchant's limit for one order.
        case aboveLimit
        /// No shipping method has this identifier.
        case unknownShippingMethod
        /// The API key is another merchant's.
        case otherPayee
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
