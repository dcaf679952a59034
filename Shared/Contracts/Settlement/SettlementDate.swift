import OrchardJSON

/// A day as acquirers and banks settle it, without a time zone: `2026-11-24`.
public struct SettlementDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let year: Int
    public let month: Int
    public let day: Int

    /// - Returns: nil for a day that no calendar has.
    public init?(year: Int, month: Int, day: Int) {
        guard CivilTime(year: year, month: month, day: day) != nil else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Exactly `YYYY-MM-DD`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day that clocks `utcOffset` seconds east of Greenwich show at `time`.
    public init(_ time: Timestamp, utcOffset: Int64) {
        let civil = CivilTime(time, utcOffset: utcOffset)
        (year, month, day) = (civil.year, civil.month, civil.day)
    }

    /// The day `days` later; earlier when negative.
    public func adding(days: Int) -> SettlementDate {
        var midnight = CivilTime(Timestamp(seconds: 0))
        (midnight.year, midnight.month, midnight.day) = (year, month, day)
        return SettlementDate(midnight.timestamp() + .seconds(86_400 * days), utcOffset: 0)
    }

    public var description: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }

    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension JSONReader {
    /// Reads a day: `YYYY-MM-DD`.
    public mutating func settlementDate() throws(JSONError) -> SettlementDate {
        guard let date = SettlementDate(try string(upTo: 10)) else {
            throw error(.value, "a day as in 2026-11-24 is expected")
        }
        return date
    }
}
