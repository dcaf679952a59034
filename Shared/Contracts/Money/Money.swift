import OrchardJSON

/// An amount: whole minor units of a currency (fen, cents, yen). Never a floating-point number.
public struct Money: Hashable, Sendable, CustomStringConvertible {
    /// Minor units; negative only where a sign has a meaning, as in postings and discounts.
    public let minorUnits: Int64
    public let currency: Currency

    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Zero in `currency`.
    public static func zero(_ currency: Currency) -> Money { Money(minorUnits: 0, currency: currency) }

    /// The sum, or nil when it leaves the range of 64 bits.
    ///
    /// To add two currencies is an error of the program, not of its input, and stops it.
    public func adding(_ other: Money) -> Money? {
        precondition(currency == other.currency, "money of two currencies is never added")
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        return overflow ? nil : Money(minorUnits: sum, currency: currency)
    }

    /// The amount times a count, or nil when it leaves the range of 64 bits.
    public func multiplied(by count: Int64) -> Money? {
        let (product, overflow) = minorUnits.multipliedReportingOverflow(by: count)
        return overflow ? nil : Money(minorUnits: product, currency: currency)
    }

    /// The amount with the opposite sign, or nil for the smallest number.
    public var negated: Money? {
        minorUnits == .min ? nil : Money(minorUnits: -minorUnits, currency: currency)
    }

    public var description: String { "\(decimal) \(currency.code)" }
}

extension Money: ContractValue {
    /// `{"currency":"CNY","minorUnits":1234}`
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (currency, units): (Currency?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "currency": currency = try reader.currency()
            case "minorUnits": units = try reader.int64()
            default: try reader.skip()
            }
        }
        self.init(
            minorUnits: try reader.required(units, "minorUnits"), currency: try reader.required(currency, "currency"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("currency", currency.code)
        object.member("minorUnits", minorUnits)
    }
}

extension Money {
    /// The amount as Apple writes it: `12.34`, `1500`, `1.234`, with exactly the currency's digits.
    public var decimal: String {
        let sign = minorUnits < 0 ? "-" : ""
        guard currency.exponent > 0 else { return sign + String(minorUnits.magnitude) }
        var digits = Array(String(minorUnits.magnitude).utf8)
        let missing = max(0, currency.exponent + 1 - digits.count)
        digits.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "0"), count: missing), at: 0)
        digits.insert(UInt8(ascii: "."), at: digits.count - currency.exponent)
        return sign + String(decoding: digits, as: UTF8.self)
    }

    /// Reads what ``decimal`` writes, and no other form: `12.30` is a price in yuan; `12`, `12.3` and `1230` are not.
    ///
    /// A text without its decimals may be meant as minor units, so it is refused. No sign but `-`, no exponent, no
    /// grouping, no leading zeros but one before the point.
    public init?(decimal text: some StringProtocol, currency: Currency) {
        let negative = text.hasPrefix("-")
        let parts = text.dropFirst(negative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, Self.areDigits(whole),
            whole.count == 1 || whole.first != "0"
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || Self.areDigits(fraction), fraction.count == currency.exponent,
            let units = Int64((negative ? "-" : "") + whole + fraction), !negative || units != 0
        else { return nil }
        self.init(minorUnits: units, currency: currency)
    }

    /// How an amount of `currency` is written, for a message to a client that wrote another form.
    public static func decimalForm(in currency: Currency) -> String {
        guard currency.exponent > 0 else {
            return "an amount of \(currency.code) is text without decimals, as in \"100\""
        }
        let example = "100." + String(repeating: "0", count: currency.exponent)
        return "an amount of \(currency.code) is text with exactly \(currency.exponent) decimals, as in \"\(example)\""
    }

    private static func areDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
