import OrchardJSON

/// An acquirer that charges for a merchant.
public struct AcquirerRoute: Hashable, Sendable {
    /// Where a charge arrives: with money, or for trying.
    public enum Environment: String, Sendable, CaseIterable {
        case test, live
    }

    /// The route's name, unique in its merchant: 1 to 32 of a-z, 0-9 and -. Tickets name it.
    public let id: String
    /// The name of its connector.
    public let acquirer: String
    /// The merchant's number there.
    public let account: String
    public let environment: Environment
    /// The currencies it takes.
    public let currencies: [Currency]
    /// The kinds of card data it takes.
    public let paymentData: [PaymentDataType]
    /// The networks it takes; nil: all of the merchant's.
    public let networks: [CardNetwork]?
    /// What the acquirer's connector needs besides: an object that the connector reads itself. Paths in it are relative to
    /// `merchants.json`.
    public let settings: JSONValue

    /// The most bytes of an ``id``.
    static let maximumIDSize = 32

    /// Whether `text` may name a route.
    static func isID(_ text: String) -> Bool {
        (1...maximumIDSize).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
