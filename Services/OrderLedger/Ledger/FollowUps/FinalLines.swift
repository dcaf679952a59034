import Contracts
import OrchardJSON

/// What an order whose total was pending costs in the end: the fare after the ride, the bill with its tip.
public struct FinalLines: Hashable, Sendable {
    /// The price of the chosen way of shipping.
    public struct Shipping: Hashable, Sendable {
        public let amount: Int64
        public let tax: Int64

        public init(amount: Int64, tax: Int64 = 0) {
            self.amount = amount
            self.tax = tax
        }
    }

    /// At least one.
    public var lines: [OfferLine]
    /// nil: those of the opening stay.
    public var extraLines: [ExtraLine]?
    /// nil: those of the opening stay.
    public var discounts: [OfferDiscount]?
    /// nil: the price stays.
    public var shipping: Shipping?

    public init(
        lines: [OfferLine] = [], extraLines: [ExtraLine]? = nil, discounts: [OfferDiscount]? = nil,
        shipping: Shipping? = nil
    ) {
        self.lines = lines
        self.extraLines = extraLines
        self.discounts = discounts
        self.shipping = shipping
    }

    /// The order's request with these lines instead of its own.
    ///
    /// - Parameter method: the identifier of the chosen way of shipping.
    /// - Throws: ``OfferError`` for a price of shipping where nothing is shipped.
    public func applied(to request: OfferRequest, shippedBy method: String?) throws(OfferError) -> OfferRequest {
        var final = request
        final.lines = lines
        if let extraLines { final.extraLines = extraLines }
        if let discounts { final.discounts = discounts }
        guard let shipping else { return final }
        guard let index = request.shippingMethods.firstIndex(where: { $0.identifier == method }) else {
            throw OfferError(.unknownShippingMethod, field: "shipping", "the order is not shipped")
        }
        let chosen = request.shippingMethods[index]
        final.shippingMethods[index] = ShippingMethod(
            identifier: chosen.identifier, label: chosen.label, detail: chosen.detail, amount: shipping.amount,
            tax: shipping.tax, regions: chosen.regions, arrival: chosen.arrival)
        return final
    }
}

extension FinalLines {
    /// Reads a member; false for one that final lines do not have.
    mutating func read(_ name: JSONName, _ reader: inout JSONReader, in currency: Currency) throws(JSONError) -> Bool {
        switch name {
        case "discounts": discounts = try reader.discounts(in: currency)
        case "extraLines": extraLines = try reader.extraLines(in: currency)
        case "lines": lines = try reader.offerLines(in: currency)
        case "shipping":
            var (amount, tax): (Int64?, Int64) = (nil, 0)
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "amount": amount = try reader.amount(in: currency)
                case "tax": tax = try reader.amount(in: currency)
                default: throw reader.unknownMember()
                }
            }
            shipping = Shipping(amount: try reader.required(amount, "amount"), tax: tax)
        default: return false
        }
        return true
    }

    /// Writes the members but the price of shipping, in the order of their names.
    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        if let discounts {
            object.array("discounts") { array in
                for discount in discounts { array.object { discount.write(to: &$0, in: currency) } }
            }
        }
        if let extraLines {
            object.array("extraLines") { array in
                for line in extraLines { array.object { line.write(to: &$0, in: currency) } }
            }
        }
        object.array("lines") { array in for line in lines { array.object { line.write(to: &$0, in: currency) } } }
    }

    /// Writes the price of shipping, whose name comes after the payment's.
    func writeShipping(to object: inout JSONObjectWriter, in currency: Currency) {
        guard let shipping else { return }
        object.object("shipping") { object in
            object.member("amount", Money(minorUnits: shipping.amount, currency: currency).decimal)
            object.member("tax", Money(minorUnits: shipping.tax, currency: currency).decimal)
        }
    }
}
