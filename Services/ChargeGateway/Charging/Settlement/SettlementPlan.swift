import Contracts

/// Of which days an account's files are to be fetched now, and which are overdue.
public struct SettlementPlan: Hashable, Sendable {
    /// How far it looks back, and when.
    public struct Policy: Hashable, Sendable {
        /// How long after a day's end its file is asked for.
        public var margin: Duration = .seconds(3_600)
        /// How long after a day's end its file is overdue.
        public var overdueAfter: Duration = .seconds(12 * 3_600)
        /// How many closed days are caught up with.
        public var days = 30

        public init() {}
    }

    /// The oldest first.
    public let toFetch: [SettlementDate]
    public let overdue: [SettlementDate]

    /// The last days are asked for even when nothing is expected: the acquirer may know what we do not.
    public static let alwaysAsked = 3

    /// The closed days that are looked at, the oldest first.
    public static func days(at time: Timestamp, in calendar: SettlementCalendar, _ policy: Policy) -> [SettlementDate] {
        let last = calendar.lastClosedDay(at: time - policy.margin)
        return (0..<max(policy.days, 0)).reversed().map { last.adding(days: -$0) }
    }

    /// - Parameters:
    ///   - recorded: the days whose files were read to their end.
    ///   - expected: the days on which the gateway charged, or may have.
    public init(
        at time: Timestamp, in calendar: SettlementCalendar, recorded: Set<SettlementDate>,
        expected: Set<SettlementDate>, _ policy: Policy
    ) {
        let days = Self.days(at: time, in: calendar, policy)
        let missing = days.filter { !recorded.contains($0) }
        let last = Set(days.suffix(Self.alwaysAsked))
        toFetch = missing.filter { expected.contains($0) || last.contains($0) }
        overdue = missing.filter { expected.contains($0) && calendar.end(of: $0) + policy.overdueAfter <= time }
    }
}
