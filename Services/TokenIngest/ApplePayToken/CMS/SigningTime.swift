/// ASN.1 times of a signature: whole seconds in UTC (RFC 5652 section 11.3).
enum SigningTime {
    /// Seconds since 1970; nil for every other form and for days that do not exist.
    static func seconds(_ element: BERElement) -> Int64? {
        var digits = element.value
        guard digits.popLast() == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        var year: Int64
        switch (element.tag, digits.count) {
        case (BERTag.utcTime, 12):
            year = number(digits.prefix(2))
            year += year < 50 ? 2000 : 1900
            digits = digits.dropFirst(2)
        case (BERTag.generalizedTime, 14):
            year = number(digits.prefix(4))
            digits = digits.dropFirst(4)
        default: return nil
        }
        let fields = stride(from: digits.startIndex, to: digits.endIndex, by: 2).map { number(digits[$0..<$0 + 2]) }
        let (month, day, hour, minute, second) = (fields[0], fields[1], fields[2], fields[3], fields[4])
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        return dayNumber(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar. Years start in March, so that the leap day is the last day.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    }
}
