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

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("label", label)
        object.member("quantity", quantity)
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
        object.member("unitAmount", Money(minorUnits: unitAmount, currency: currency).decimal)
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

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        object.member("label", label)
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
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

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        object.member("label", label)
    }
}

extension ShippingMethod {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (identifier, label, detail, amount): (String?, String?, String, Int64?) = (nil, nil, "", nil)
        var tax: Int64 = 0
        var regions: [Region] = []
        var arrival: ArrivalDates?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "detail":
                detail = try reader.string()
                if detail.utf8.count > 128 { throw reader.error(.value, "the string must have at most 128 bytes") }
            case "arrival": arrival = try ArrivalDates(json: &reader)
            case "identifier": identifier = try reader.plainIdentifier()
            case "label": label = try reader.string(upTo: 128)
            case "regions":
                regions = try reader.list(upTo: Self.maximumRegions) { reader throws(JSONError) in try reader.region() }
            case "tax": tax = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        self.init(
            identifier: try reader.required(identifier, "identifier"), label: try reader.required(label, "label"),
            detail: detail, amount: try reader.required(amount, "amount"), tax: tax, regions: regions,
            arrival: arrival)
    }

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        if let arrival { object.object("arrival") { arrival.write(to: &$0) } }
        object.member("detail", detail)
        object.member("identifier", identifier)
        object.member("label", label)
        if !regions.isEmpty { object.member("regions", regions.map(\.description)) }
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
    }
}

extension JSONReader {
    /// Reads an amount of at least zero: text with exactly the currency's decimals, such as `"12.50"`.
    ///
    /// No other form is taken. `100` is 1.00 to who counts minor units and 100.00 to who does not: a client that mixed
    /// them up would charge a hundred times too much.
    mutating func amount(in currency: Currency) throws(JSONError) -> Int64 {
        guard try kind() == .string else {
            throw error(.type, Money.decimalForm(in: currency) + "; nothing else is read")
        }
        let text = try string()
        guard let money = Money(decimal: text, currency: currency), money.minorUnits >= 0 else {
            throw error(.value, Money.decimalForm(in: currency) + ", and not below zero")
        }
        return money.minorUnits
    }
}

extension JSONReader {
    /// Reads an identifier: it may go into tickets and the journal, so it is plain.
    mutating func plainIdentifier() throws(JSONError) -> String {
        let text = try string(upTo: 64)
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain else {
            throw error(.value, "an identifier is 1 to 64 letters, digits, dots, hyphens or underscores")
        }
        return text
    }

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
