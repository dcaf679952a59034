extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC: `2026-11-21T14:03:07Z`, with six decimals when there are microseconds.
    public var description: String {
        let time = CivilTime(self)
        let seconds =
            "\(time.year.padded(to: 4))-\(time.month.padded(to: 2))-\(time.day.padded(to: 2))"
            + "T\(time.hour.padded(to: 2)):\(time.minute.padded(to: 2)):\(time.second.padded(to: 2))"
        return time.microsecond == 0 ? seconds + "Z" : seconds + ".\(time.microsecond.padded(to: 6))Z"
    }

    /// Reads RFC 3339 (`Z` or a numeric offset, up to six decimals); nil when it is anything else.
    public init?(rfc3339 text: some StringProtocol) {
        var digits = ArraySlice(text.utf8)
        guard let year = digits.takeNumber(4), digits.take("-"), let month = digits.takeNumber(2), digits.take("-"),
            let day = digits.takeNumber(2), digits.take("T"), let hour = digits.takeNumber(2), digits.take(":"),
            let minute = digits.takeNumber(2), digits.take(":"), let second = digits.takeNumber(2)
        else { return nil }
        var microsecond = 0
        if digits.take(".") {
            let fraction = digits.prefix { (0x30...0x39).contains($0) }
            guard (1...6).contains(fraction.count) else { return nil }
            microsecond = fraction.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            for _ in fraction.count..<6 { microsecond *= 10 }
            digits = digits.dropFirst(fraction.count)
        }
        var offset: Int64 = 0
        if !digits.take("Z") {
            let sign: Int64
            if digits.take("+") { sign = 1 } else if digits.take("-") { sign = -1 } else { return nil }
            guard let hours = digits.takeNumber(2), digits.take(":"), let minutes = digits.takeNumber(2),
                hours < 24, minutes < 60
            else { return nil }
            offset = sign * Int64(hours * 3_600 + minutes * 60)
        }
        guard digits.isEmpty,
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                microsecond: microsecond)
        else { return nil }
        self = time.timestamp(utcOffset: offset)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeNumber(_ count: Int) -> Int? {
        guard self.count >= count, prefix(count).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        defer { self = dropFirst(count) }
        return prefix(count).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    fileprivate mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first, UInt32(first) == character.value else { return false }
        self = dropFirst()
        return true
    }
}

extension Int {
    /// The number in decimal with leading zeros up to `width` digits.
    package func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
