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

    /// How an amount of `currency` is written, for whoever wrote it in another form.
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
