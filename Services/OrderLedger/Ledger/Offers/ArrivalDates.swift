import OrchardJSON

/// When goods arrive, or can be picked up: two days, or two hours of days, in the customer's own time.
public struct ArrivalDates: Hashable, Sendable {
    /// A day of the Gregorian calendar, or an hour of it.
    public struct Day: Hashable, Sendable, Comparable, CustomStringConvertible {
        public let year: Int
        public let month: Int
        public let day: Int
        /// 0 to 23; nil for the whole day.
        public let hour: Int?

        /// - Parameter text: `2026-11-25` or `2026-11-25T14`.
        /// - Returns: nil for another form and for a day that does not exist.
        public init?(_ text: String) {
            let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
            let fields = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard fields.map(\.utf8.count) == [4, 2, 2], let year = Self.number(fields[0]),
                let month = Self.number(fields[1]), let day = Self.number(fields[2]), (2_000...9_999).contains(year),
                (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
            guard parts.count == 2 else {
                hour = nil
                return
            }
            guard parts[1].utf8.count == 2, let hour = Self.number(parts[1]), hour < 24 else { return nil }
            self.hour = hour
        }

        private static func number(_ text: Substring) -> Int? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }

        private static func days(in month: Int, of year: Int) -> Int {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        public static func < (one: Self, other: Self) -> Bool {
            (one.year, one.month, one.day, one.hour ?? 0) < (other.year, other.month, other.day, other.hour ?? 0)
        }

        public var description: String {
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(year)-\(padded(month))-\(padded(day))" + (hour.map { "T\(padded($0))" } ?? "")
        }
    }

    public let from: Day
    public let to: Day

    /// - Returns: nil when `to` is before `from`.
    public init?(from: Day, to: Day) {
        guard from <= to else { return nil }
        self.from = from
        self.to = to
    }
}

extension ArrivalDates {
    /// Reads `{"from": "2026-11-25", "to": "2026-11-27"}`.
    init(json reader: inout JSONReader) throws(JSONError) {
        var (from, to): (Day?, Day?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "from": from = try Self.day(&reader)
            case "to": to = try Self.day(&reader)
            default: throw reader.unknownMember()
            }
        }
        guard let dates = Self(from: try reader.required(from, "from"), to: try reader.required(to, "to")) else {
            throw reader.error(.value, "the first day is not after the last")
        }
        self = dates
    }

    private static func day(_ reader: inout JSONReader) throws(JSONError) -> Day {
        guard let day = Day(try reader.string(upTo: 13)) else {
            throw reader.error(.value, "a day as in 2026-11-25, or an hour as in 2026-11-25T14, is expected")
        }
        return day
    }

    /// Writes it as in the request.
    public func write(to object: inout JSONObjectWriter) {
        object.member("from", from.description)
        object.member("to", to.description)
    }

    /// Writes an `ApplePayDateComponentsRange`.
    func writeRange(to object: inout JSONObjectWriter) {
        object.object("endDateComponents") { to.writeComponents(to: &$0) }
        object.object("startDateComponents") { from.writeComponents(to: &$0) }
    }
}

extension ArrivalDates.Day {
    fileprivate func writeComponents(to object: inout JSONObjectWriter) {
        object.member("days", day)
        object.member("hours", hour ?? 0)
        object.member("months", month)
        object.member("years", year)
    }
}
