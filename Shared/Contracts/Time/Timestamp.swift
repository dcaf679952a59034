/// A point in time: whole microseconds since 1970-01-01T00:00:00Z.
///
/// Integers only, so that the same events give the same bytes everywhere; microseconds, because that is what
/// PostgreSQL keeps.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Whole seconds since 1970.
    public init(seconds: Int64) {
        self.init(microseconds: seconds * 1_000_000)
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    public static func + (time: Self, duration: Duration) -> Self {
        Self(microseconds: time.microseconds + duration.wholeMicroseconds)
    }

    public static func - (time: Self, duration: Duration) -> Self {
        Self(microseconds: time.microseconds - duration.wholeMicroseconds)
    }

    /// The time from `earlier` to `later`.
    public static func - (later: Self, earlier: Self) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Duration {
    /// The duration in microseconds, rounded towards zero.
    public var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

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
        self.init(rfc3339: String(text).utf8.span)
    }

    /// The same from the text's UTF-8.
    public init?(rfc3339 text: Span<UInt8>) {
        var place = 0
        guard let year = text.consumeNumber(4, &place), text.consume("-", &place),
            let month = text.consumeNumber(2, &place),
            text.consume("-", &place), let day = text.consumeNumber(2, &place), text.consume("T", &place),
            let hour = text.consumeNumber(2, &place), text.consume(":", &place),
            let minute = text.consumeNumber(2, &place),
            text.consume(":", &place), let second = text.consumeNumber(2, &place)
        else { return nil }
        var microsecond = 0
        if text.consume(".", &place) {
            let first = place
            while place - first < 7, let digit = text.consumeNumber(1, &place) {
                microsecond = microsecond * 10 + digit
            }
            guard (1...6).contains(place - first) else { return nil }
            for _ in place - first..<6 { microsecond *= 10 }
        }
        var offset: Int64 = 0
        if !text.consume("Z", &place) {
            let sign: Int64
            if text.consume("+", &place) {
                sign = 1
            } else if text.consume("-", &place) {
                sign = -1
            } else {
                return nil
            }
            guard let hours = text.consumeNumber(2, &place), text.consume(":", &place),
                let minutes = text.consumeNumber(2, &place), hours < 24, minutes < 60
            else { return nil }
            offset = sign * Int64(hours * 3_600 + minutes * 60)
        }
        guard place == text.count,
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                microsecond: microsecond)
        else { return nil }
        self = time.timestamp(utcOffset: offset)
    }
}

extension Span<UInt8> {
    /// Reads a number of so many digits at `place`, and moves `place` behind it.
    fileprivate func consumeNumber(_ digits: Int, _ place: inout Int) -> Int? {
        guard place + digits <= count else { return nil }
        var number = 0
        for index in place..<place + digits {
            let digit = self[index] &- 0x30
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        place += digits
        return number
    }

    fileprivate func consume(_ character: Unicode.Scalar, _ place: inout Int) -> Bool {
        guard place < count, UInt32(self[place]) == character.value else { return false }
        place += 1
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
