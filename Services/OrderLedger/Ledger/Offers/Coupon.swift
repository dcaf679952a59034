import Contracts
import OrchardJSON

/// A coupon code that the order accepts. The device never gets the list; the customer types the code.
public struct Coupon: Hashable, Sendable {
    /// What is taken off the price of the goods.
    public enum Value: Hashable, Sendable {
        /// Minor units.
        case amount(Int64)
        /// Of the goods and extra lines before discounts, 1 to 100; a part of a minor unit is dropped.
        case percent(Int64)
    }

    /// Compared without case.
    public let code: String
    public let label: String
    public let value: Value
    /// The last moment at which it is accepted; nil for ever.
    public let expiresAt: Timestamp?

    public init(code: String, label: String, value: Value, expiresAt: Timestamp? = nil) {
        self.code = code
        self.label = label
        self.value = value
        self.expiresAt = expiresAt
    }

    /// Whether a customer's text is this code.
    public func matches(_ text: String) -> Bool { code.lowercased() == text.lowercased() }

    /// What it takes off goods of this price, never more than what is left of them.
    func discount(on subtotal: Int64, left: Int64) -> Int64 {
        switch value {
        case .amount(let amount): min(amount, left)
        case .percent(let percent):
            // Split, so that no product overflows.
            min(subtotal / 100 * percent + subtotal % 100 * percent / 100, left)
        }
    }
}

extension Coupon {
    /// Reads `{"code": "TEA10", "label": "Tea week", "percent": 10, "expiresAt": "2026-12-31T16:00:00Z"}`, or `amount`
    /// instead of `percent`.
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (code, label, amount, percent): (String?, String?, Int64?, Int?)
        var expiresAt: Timestamp?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "code": code = try reader.plainIdentifier()
            case "expiresAt": expiresAt = try reader.timestamp()
            case "label": label = try reader.string(upTo: 64)
            case "percent": percent = try reader.int(in: 1...100)
            default: throw reader.unknownMember()
            }
        }
        let value: Value
        switch (amount, percent) {
        case (let amount?, nil): value = .amount(amount)
        case (nil, let percent?): value = .percent(Int64(percent))
        default: throw reader.error(.value, "a coupon has either amount or percent")
        }
        self.init(
            code: try reader.required(code, "code"), label: try reader.required(label, "label"), value: value,
            expiresAt: expiresAt)
    }

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        if case .amount(let amount) = value {
            object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        }
        object.member("code", code)
        object.member("expiresAt", expiresAt?.description)
        object.member("label", label)
        if case .percent(let percent) = value { object.member("percent", percent) }
    }
}
