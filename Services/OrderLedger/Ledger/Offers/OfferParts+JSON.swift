import Contracts
import OrchardJSON

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

    func write(to object: inout JSONObjectWriter) {
        object.member("label", label)
        object.member("quantity", quantity)
        object.member("tax", tax)
        object.member("unitAmount", unitAmount)
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

    func write(to object: inout JSONObjectWriter) {
        object.member("amount", amount)
        object.member("label", label)
    }
}

extension ShippingMethod {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (identifier, label, detail, amount): (String?, String?, String, Int64?) = (nil, nil, "", nil)
        var tax: Int64 = 0
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "detail":
                detail = try reader.string()
                if detail.utf8.count > 128 { throw reader.error(.value, "the string must have at most 128 bytes") }
            case "identifier":
                let text = try reader.string(upTo: 64)
                if !OfferRequest.isIdentifier(text) { throw reader.error(.value, OfferRequest.identifierRule) }
                identifier = text
            case "label": label = try reader.string(upTo: 128)
            case "tax": tax = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        self.init(
            identifier: try reader.required(identifier, "identifier"), label: try reader.required(label, "label"),
            detail: detail, amount: try reader.required(amount, "amount"), tax: tax)
    }

    func write(to object: inout JSONObjectWriter) {
        object.member("amount", amount)
        object.member("detail", detail)
        object.member("identifier", identifier)
        object.member("label", label)
        object.member("tax", tax)
    }
}

extension JSONReader {
    /// Reads an amount of at least zero: an integer of minor units, or a decimal string such as `"12.50"`.
    fileprivate mutating func amount(in currency: Currency) throws(JSONError) -> Int64 {
        guard try kind() == .string else { return try minorUnits() }
        guard let money = Money(decimal: try string(), currency: currency), money.minorUnits >= 0 else {
            throw error(
                .value,
                "an amount of \(currency.code) is minor units or a decimal with at most \(currency.exponent) decimals")
        }
        return money.minorUnits
    }
}

extension JSONReader {
    /// Reads an array of at most `limit` elements.
    mutating func list<Element>(
        upTo limit: Int, _ read: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try array { reader throws(JSONError) in
            guard elements.count < limit else { throw reader.error(.size, "at most \(limit) elements are allowed") }
            elements.append(try read(&reader))
        }
        return elements
    }
}
