/// Date and time of day in the proleptic Gregorian calendar, without a time zone.
///
/// Acquirers use local time (UnionPay: Beijing, UTC+8 without daylight saving), events use UTC. Both have a fixed
/// offset from ``Timestamp``.
public struct CivilTime: Hashable, Sendable {
    public var year: Int
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    public var second: Int
    public var microsecond: Int

    /// The civil time at `timestamp` in the zone `utcOffset` seconds east of Greenwich.
    public init(_ timestamp: Timestamp, utcOffset: Int64 = 0) {
        let local = timestamp.microseconds + utcOffset * 1_000_000
        let seconds = local.flooredDivision(by: 1_000_000)
        microsecond = Int(local - seconds * 1_000_000)
        let days = seconds.flooredDivision(by: 86_400)
        let time = Int(seconds - days * 86_400)
        (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
        // Days to date with eras of 400 years that begin on 1 March (H. Hinnant, "chrono-compatible date algorithms").
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
    }

    /// A civil time from its parts; nil when there is no such time (31 April, 24:00).
    public init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, microsecond: Int = 0
    ) {
        guard (0...9_999).contains(year), (1...12).contains(month), (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second), (0..<1_000_000).contains(microsecond)
        else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second, self.microsecond) = (hour, minute, second, microsecond)
    }

    /// The point in time that clocks `utcOffset` seconds east of Greenwich show as this.
    public func timestamp(utcOffset: Int64 = 0) -> Timestamp {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second) - utcOffset
        return Timestamp(microseconds: seconds * 1_000_000 + Int64(microsecond))
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
