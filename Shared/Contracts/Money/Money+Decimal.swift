extension Money {
    /// The amount as Apple writes it: `12.34`, `1500`, `1.234`, with exactly the currency's digits.
    public var decimal: String {
        let digits = String(minorUnits.magnitude)
        let sign = minorUnits < 0 ? "-" : ""
        guard currency.exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.count)) + digits
        return sign + padded.dropLast(currency.exponent) + "." + padded.suffix(currency.exponent)
    }

    /// Reads a decimal string; nil unless it is digits with at most the currency's decimals (`12`, `12.3`, `12.34`).
    ///
    /// No sign but `-`, no exponent, no grouping, no leading zeros but one before the point.
    public init?(decimal text: some StringProtocol, currency: Currency) {
        let negative = text.hasPrefix("-")
        let parts = text.dropFirst(negative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, Self.areDigits(whole),
            whole.count == 1 || whole.first != "0"
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || Self.areDigits(fraction), fraction.count <= currency.exponent else { return nil }
        let padding = String(repeating: "0", count: currency.exponent - fraction.count)
        guard let units = Int64((negative ? "-" : "") + whole + fraction + padding) else { return nil }
        self.init(minorUnits: units, currency: currency)
    }

    private static func areDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
