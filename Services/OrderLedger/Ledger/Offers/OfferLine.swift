import Contracts
import OrchardJSON

/// Goods of one kind on an offer.
public struct OfferLine: Hashable, Sendable {
    /// What the shop calls them; kept with the offer, never in the journal.
    public let label: String
    /// Price of one piece in minor units.
    public let unitAmount: Int64
    /// Pieces, at least one.
    public let quantity: Int64
    /// Tax on the whole line in minor units, beside the price.
    public let tax: Int64

    public init(label: String, unitAmount: Int64, quantity: Int64 = 1, tax: Int64 = 0) {
        self.label = label
        self.unitAmount = unitAmount
        self.quantity = quantity
        self.tax = tax
    }
}

extension OfferLine {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (label, unitAmount): (String?, Int64?)
        var (quantity, tax): (Int64, Int64) = (1, 0)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "label": label = try reader.string(upTo: 128)
            case "quantity": quantity = Int64(try reader.int(in: 1...1_000_000))
            case "tax": tax = try reader.amount(in: currency)
            case "unitAmount": unitAmount = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        self.init(
            label: try reader.required(label, "label"), unitAmount: try reader.required(unitAmount, "unitAmount"),
            quantity: quantity, tax: tax)
    }

    /// Writes it as in the request.
    public func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("label", label)
        object.member("quantity", quantity)
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
        object.member("unitAmount", Money(minorUnits: unitAmount, currency: currency).decimal)
    }
}

/// A price beside the goods with a label of its own on the sheet: gift wrap, assembly.
public struct ExtraLine: Hashable, Sendable {
    public let label: String
    /// Minor units.
    public let amount: Int64
    /// Minor units, beside the price.
    public let tax: Int64

    public init(label: String, amount: Int64, tax: Int64 = 0) {
        self.label = label
        self.amount = amount
        self.tax = tax
    }
}

extension ExtraLine {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (label, amount): (String?, Int64?)
        var tax: Int64 = 0
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "label": label = try reader.string(upTo: 64)
            case "tax": tax = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        self.init(
            label: try reader.required(label, "label"), amount: try reader.required(amount, "amount"), tax: tax)
    }

    /// Writes it as in the request.
    public func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        object.member("label", label)
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
    }
}

/// Something taken off the price of the goods: a coupon, a volume discount.
public struct OfferDiscount: Hashable, Sendable {
    public let label: String
    /// What is taken off in minor units, as a positive number.
    public let amount: Int64

    public init(label: String, amount: Int64) {
        self.label = label
        self.amount = amount
    }
}

extension OfferDiscount {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (label, amount): (String?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "label": label = try reader.string(upTo: 128)
            default: throw reader.unknownMember()
            }
        }
        self.init(label: try reader.required(label, "label"), amount: try reader.required(amount, "amount"))
    }

    /// Writes it as in the request.
    public func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        object.member("label", label)
    }
}
