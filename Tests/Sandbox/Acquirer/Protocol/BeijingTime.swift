/// A time as UnionPay writes it: the wall clock of Beijing, eight hours ahead of UTC, to the second.
struct BeijingTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970 UTC.
    let seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    /// Reads `YYYYMMDDhhmmss`; nil for a date that does not exist.
    init?(_ text: String) {
        guard text.utf8.count == 14, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let digits = text.utf8.map { Int64($0) - 0x30 }
        func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let (month, day) = (number(4..<6), number(6..<8))
        let (hour, minute, second) = (number(8..<10), number(10..<12), number(12..<14))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        let days = Self.days(year: number(0..<4), month: month, day: day)
        seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - Self.offset
        guard self.text == text else { return nil }
    }

    /// `YYYYMMDDhhmmss`
    var text: String {
        let local = seconds + Self.offset
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        let (year, month, date) = Self.civil(day)
        let rest = local - day * 86_400
        let parts = [month, date, rest / 3_600, rest / 60 % 60, rest % 60]
        return "\(year)" + parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }

    /// UnionPay's settlement day `YYYYMMDD`, which runs from 23:00 of the day before to 23:00.
    var settlementDay: String { String(BeijingTime(seconds: seconds + 3_600).text.prefix(8)) }

    static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

    private static let offset: Int64 = 8 * 3_600

    /// Days from 1970 in the Gregorian calendar; years are counted from March so that the leap day comes last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let yearOfEra = y % 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return y / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + shifted / 146_097 * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
