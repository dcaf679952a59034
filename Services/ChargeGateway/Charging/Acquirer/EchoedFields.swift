import Contracts

/// What an answer says of the charge it is about; nil where it says nothing.
public struct EchoedFields: Hashable, Sendable {
    /// The reserved field as it came back.
    public let reserved: String?
    /// In minor units.
    public let amount: Int64?
    /// Three digits (ISO 4217).
    public let currency: String?

    public init(reserved: String? = nil, amount: Int64? = nil, currency: String? = nil) {
        self.reserved = reserved
        self.amount = amount
        self.currency = currency
    }

    /// How the answer differs from the charge; nil when it does not.
    func conflict(with charge: Charge) -> String? {
        if let reserved, reserved != charge.reserved { return "the answer carries another order or payment" }
        if let amount, amount != charge.amount.minorUnits { return "the answer carries another amount" }
        if let currency, currency != charge.amount.currency.numeric { return "the answer carries another currency" }
        return nil
    }
}
