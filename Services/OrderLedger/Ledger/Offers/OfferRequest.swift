import Contracts
import OrchardCrypto
import OrchardJSON

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

extension OfferRequest {
    /// The largest accepted counts: an order is a shopping basket, not a catalogue.
    static let maximumLines = 200
    static let maximumDiscounts = 20
    static let maximumShippingMethods = 20

    /// Reads the body of `POST /v1/orders`:
    ///
    ///     {"currency": "CNY", "reference": "A-1001",
    ///      "lines": [{"label": "Tea", "unitAmount": "12.50", "quantity": 2, "tax": "1.50"}],
    ///      "discounts": [{"label": "Welcome", "amount": "5.00"}],
    ///      "shippingMethods": [{"identifier": "post", "label": "Post", "detail": "3 days", "amount": "8.00"}],
    ///      "shippingMethod": "post", "payee": "32 hex digits"}
    ///
    /// Amounts are text with exactly the currency's decimals, so that nobody takes minor units for them. Members that
    /// are not known are refused: a misspelt discount must not become a dearer order.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        // The currency says how decimals are read, and members come in any order: hence two passes over the text.
        let currency = try JSONReader.read(bytes) { reader throws(JSONError) in
            var currency: Currency?
            try reader.object { reader, name throws(JSONError) in
                if name == "currency" { currency = try reader.currency() } else { try reader.skip() }
            }
            return try reader.required(currency, "currency")
        }
        self = try JSONReader.read(bytes) { reader throws(JSONError) in
            try Self(json: &reader, currency: currency)
        }
    }

    private init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var lines: [OfferLine]?
        var discounts: [OfferDiscount] = []
        var shippingMethods: [ShippingMethod] = []
        var (shippingMethod, payee, reference): (String?, MerchantID?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "currency": try reader.skip()
            case "discounts":
                discounts = try reader.list(upTo: Self.maximumDiscounts) { reader throws(JSONError) in
                    try OfferDiscount(json: &reader, currency: currency)
                }
            case "lines":
                lines = try reader.list(upTo: Self.maximumLines) { reader throws(JSONError) in
                    try OfferLine(json: &reader, currency: currency)
                }
                if lines?.isEmpty == true { throw reader.error(.value, "an order has at least one line") }
            case "payee": payee = try reader.identifier()
            case "reference": reference = try reader.string(upTo: 64)
            case "shippingMethod":
                shippingMethod = try reader.string(upTo: 64)
                if !Self.isIdentifier(shippingMethod ?? "") { throw reader.error(.value, Self.identifierRule) }
            case "shippingMethods":
                shippingMethods = try reader.list(upTo: Self.maximumShippingMethods) { reader throws(JSONError) in
                    let method = try ShippingMethod(json: &reader, currency: currency)
                    return method
                }
                if Set(shippingMethods.map(\.identifier)).count != shippingMethods.count {
                    throw reader.error(.value, "two shipping methods have the same identifier")
                }
            default: throw reader.unknownMember()
            }
        }
        self.init(
            currency: currency, lines: try reader.required(lines, "lines"), discounts: discounts,
            shippingMethods: shippingMethods, shippingMethod: shippingMethod, payee: payee, reference: reference)
    }

    /// The canonical text, which ``init(parsing:)`` reads: two requests are the same when these bytes are.
    public var json: [UInt8] {
        JSONWriter.object { object in
            object.member("currency", currency.code)
            object.array("discounts") { array in
                for discount in discounts { array.object { discount.write(to: &$0, in: currency) } }
            }
            object.array("lines") { array in for line in lines { array.object { line.write(to: &$0, in: currency) } } }
            object.member("payee", payee?.description)
            object.member("reference", reference)
            object.member("shippingMethod", shippingMethod)
            object.array("shippingMethods") { array in
                for method in shippingMethods { array.object { method.write(to: &$0, in: currency) } }
            }
        }
    }

    static let identifierRule = "an identifier is 1 to 64 letters, digits, dots, hyphens or underscores"

    /// Identifiers of shipping methods go into tickets and the journal, so they are kept plain.
    static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
