import OrchardJSON

/// An acquirer that charges for a merchant.
public struct AcquirerRoute: Hashable, Sendable {
    /// Whether charges move real money or are tests.
    public enum Environment: String, Sendable, CaseIterable {
        case test, live
    }

    /// The route's name, unique in its merchant: 1 to 32 of a-z, 0-9 and -. Tickets name it.
    public let id: String
    /// The name of its connector.
    public let acquirer: String
    /// The merchant's number at the acquirer.
    public let account: String
    public let environment: Environment
    /// The currencies that it accepts.
    public let currencies: [Currency]
    /// The kinds of card data that it accepts.
    public let paymentData: [PaymentDataType]
    /// The networks that it accepts; nil: all of the merchant's but private label.
    public let networks: [CardNetwork]?
    /// How its charges take money: at once, or in two steps.
    public let captureModes: [OrderTicket.CaptureMode]
    /// Further settings of the acquirer's connector: an object that the connector reads itself. Paths in it are
    /// relative to `merchants.json`.
    public let settings: JSONValue

    /// The largest length of an ``id`` in bytes.
    static let maximumIDSize = 32

    /// The capture modes of a route that does not say: UnionPay's accounts can authorise; of other connectors only their
    /// operator knows.
    static func captureModes(of acquirer: String) -> [OrderTicket.CaptureMode] {
        acquirer == "unionpay" ? OrderTicket.CaptureMode.allCases : [.sale]
    }

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
