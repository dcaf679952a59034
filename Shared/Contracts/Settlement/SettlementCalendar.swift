/// When an acquirer's days begin and end.
public struct SettlementCalendar: Hashable, Sendable {
    /// Seconds east of Greenwich, all the year.
    public let utcOffset: Int64
    /// When a day ends, in seconds after its midnight; that moment is the next day's.
    public let dayEnd: Int64

    /// 23:00 to 23:00 in Beijing.
    public static let unionPay = SettlementCalendar(utcOffset: 8 * 3_600, dayEnd: 23 * 3_600)

    public init(utcOffset: Int64, dayEnd: Int64) {
        self.utcOffset = utcOffset
        self.dayEnd = dayEnd
    }

    /// The day that takes what happens at `time`.
    public func day(of time: Timestamp) -> SettlementDate {
        SettlementDate(time + .seconds(86_400 - dayEnd), utcOffset: utcOffset)
    }

    /// When the day is over.
    public func end(of date: SettlementDate) -> Timestamp {
        let midnight = CivilTime(year: date.year, month: date.month, day: date.day)?.timestamp(utcOffset: utcOffset)
        return (midnight ?? Timestamp(seconds: 0)) + .seconds(dayEnd)
    }

    /// The last day that is over.
    public func lastClosedDay(at time: Timestamp) -> SettlementDate { day(of: time).adding(days: -1) }
}
