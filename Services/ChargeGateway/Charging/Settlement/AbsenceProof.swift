import Contracts

/// Whether an acquirer's files prove that it never did a transaction. A query that still finds nothing must follow.
public enum AbsenceProof: Hashable, Sendable {
    /// Every file in which it can stand is here, whole and checked, and none has it.
    case absent
    /// A file has it.
    case listed
    /// These files are not here yet. A day without a file proves nothing: a person must decide when none comes.
    case waiting(for: [SettlementDate])

    /// The days whose files are needed: those in which the acquirer can have taken one of the keys, and the day after. Near
    /// a day's end the row may stand in either.
    ///
    /// - Parameters:
    ///   - times: the transaction times of the keys under which it may have been sent.
    ///   - tolerance: how far a transaction's time may lie from the acquirer's clock.
    public static func days(
        of times: [Timestamp], in calendar: SettlementCalendar, tolerance: Duration
    ) -> [SettlementDate] {
        guard let first = times.min(), let last = times.max() else { return [] }
        let end = calendar.day(of: last + tolerance)
        // What came in before the last day ended is at most in the next day's file.
        let finish = max(calendar.day(of: last).adding(days: 1), end)
        var day = calendar.day(of: first - tolerance)
        var days = [day]
        while day < finish {
            day = day.adding(days: 1)
            days.append(day)
        }
        return days
    }

    /// - Parameters:
    ///   - days: as ``days(of:in:tolerance:)`` tells them.
    ///   - recorded: the days whose files were read to their end.
    ///   - isListed: whether a row of any file has one of the keys.
    public init(days: [SettlementDate], recorded: Set<SettlementDate>, isListed: Bool) {
        let missing = days.filter { !recorded.contains($0) }
        self =
            if isListed { .listed } else if days.isEmpty || !missing.isEmpty { .waiting(for: missing) } else { .absent }
    }
}
