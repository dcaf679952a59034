/// An amount: whole minor units of a currency (fen, cents, yen). Never a floating-point number.
public struct Money: Hashable, Sendable, CustomStringConvertible {
    /// Minor units; negative only where a sign has a meaning, as in postings and discounts.
    public let minorUnits: Int64
    public let currency: Currency

    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Nothing of `currency`.
    public static func zero(_ currency: Currency) -> Money { Money(minorUnits: 0, currency: currency) }

    /// The sum, or nil when it leaves the range of 64 bits.
    ///
    /// Adding two currencies is a mistake of the program, not of its input, and stops it.
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

    /// The amount with its sign turned, or nil for the smallest number.
    public var negated: Money? {
        minorUnits == .min ? nil : Money(minorUnits: -minorUnits, currency: currency)
    }

    public var description: String { "\(decimal) \(currency.code)" }
}
