/// The ISO 4217 currencies that the test wallet pays in: the simulator's own table, so that a mistake in the
/// services' table is found.
public struct WalletCurrency: Hashable, Sendable {
    /// The three letters.
    public let code: String
    /// The three digits, leading zeros kept.
    public let number: String
    /// Digits after the decimal point.
    public let exponent: Int

    public init(_ code: String) throws(WalletError) {
        guard let row = Self.table[code] else {
            throw WalletError(.unknownCurrency, "\(code) is not in the wallet's table of currencies")
        }
        self.code = code
        number = row.number
        exponent = row.exponent
    }

    /// An amount like `12.34` in minor units; nil for one that the currency cannot have.
    public func minorUnits(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count == 1 || !parts[1].isEmpty else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        let digits = whole + fraction
        guard fraction.utf8.count <= exponent, !whole.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(digits + String(repeating: "0", count: exponent - fraction.utf8.count))
    }

    /// Minor units as Apple's request writes them, like `12.34`.
    public func decimal(_ minorUnits: Int64) -> String {
        let digits = String(minorUnits)
        guard exponent > 0 else { return digits }
        let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.utf8.count)) + digits
        return "\(padded.dropLast(exponent)).\(padded.suffix(exponent))"
    }

    private static let table: [String: (number: String, exponent: Int)] = [
        "AUD": ("036", 2), "BHD": ("048", 3), "CAD": ("124", 2), "CHF": ("756", 2), "CNY": ("156", 2),
        "EUR": ("978", 2), "GBP": ("826", 2), "HKD": ("344", 2), "JPY": ("392", 0), "KRW": ("410", 0),
        "KWD": ("414", 3), "MOP": ("446", 2), "SGD": ("702", 2), "TWD": ("901", 2), "USD": ("840", 2),
        "VND": ("704", 0),
    ]
}
