import Contracts
import OrchardJSON

/// A price rule for types of cards: a surcharge or a discount.
public struct CardTypePrice: Hashable, Sendable {
    public let cardTypes: [CardType]
    public let label: String
    /// Minor units: above zero for a surcharge, below for a discount.
    public let amount: Int64

    public init(cardTypes: [CardType], label: String, amount: Int64) {
        self.cardTypes = cardTypes
        self.label = label
        self.amount = amount
    }
}

extension CardTypePrice {
    /// Reads `{"cardTypes": ["credit"], "label": "Card fee", "surcharge": "1.00"}`, or `discount` instead of `surcharge`.
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (label, surcharge, discount): (String?, Int64?, Int64?)
        var cardTypes: [CardType]?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "cardTypes": cardTypes = try reader.cardTypes()
            case "discount": discount = try reader.amount(in: currency)
            case "label": label = try reader.string(upTo: 64)
            case "surcharge": surcharge = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        let amount: Int64
        switch (surcharge, discount) {
        case (let surcharge?, nil): amount = surcharge
        case (nil, let discount?): amount = -discount
        default: throw reader.error(.value, "a price rule has either surcharge or discount")
        }
        self.init(
            cardTypes: try reader.required(cardTypes, "cardTypes"), label: try reader.required(label, "label"),
            amount: amount)
    }

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("cardTypes", cardTypes.map(\.rawValue))
        if amount < 0 { object.member("discount", Money(minorUnits: -amount, currency: currency).decimal) }
        object.member("label", label)
        if amount >= 0 { object.member("surcharge", Money(minorUnits: amount, currency: currency).decimal) }
    }
}

extension JSONReader {
    /// Reads a list of different card types, at least one.
    mutating func cardTypes() throws(JSONError) -> [CardType] {
        let types: [CardType] = try list(upTo: CardType.allCases.count) { reader throws(JSONError) in try reader.word()
        }
        guard !types.isEmpty, Set(types).count == types.count else {
            throw error(.value, "card types are expected, each once")
        }
        return types
    }
}
