import OrchardJSON

extension OfferTotals: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (currency, subtotal, discount, shipping, tax, total): (Currency?, Int64?, Int64?, Int64?, Int64?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "currency": currency = try reader.currency()
            case "discount": discount = try reader.minorUnits()
            case "shipping": shipping = try reader.minorUnits()
            case "subtotal": subtotal = try reader.minorUnits()
            case "tax": tax = try reader.minorUnits()
            case "total": total = try reader.minorUnits()
            default: try reader.skip()
            }
        }
        let totals = OfferTotals(
            currency: try reader.required(currency, "currency"), subtotal: try reader.required(subtotal, "subtotal"),
            discount: try reader.required(discount, "discount"), shipping: try reader.required(shipping, "shipping"),
            tax: try reader.required(tax, "tax"))
        guard let totals, totals.total == (try reader.required(total, "total")) else {
            throw reader.error(.value, "the parts do not add up to the total")
        }
        self = totals
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("currency", currency.code)
        object.member("discount", discount)
        object.member("shipping", shipping)
        object.member("subtotal", subtotal)
        object.member("tax", tax)
        object.member("total", total)
    }
}
