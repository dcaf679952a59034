import Contracts

/// The two days of the acquirer on which the demo is booked. Both are past, so that their files can be fetched at once:
/// the acquirer keeps them open, one after the other.
struct AcquirerDays: Hashable, Sendable {
    /// On which the shops sell.
    let trading: SettlementDate
    /// The day after it, which begins at 23:00 in Beijing: what the shops do later in the evening.
    let evening: SettlementDate

    init(before now: Timestamp) {
        evening = SettlementCalendar.unionPay.lastClosedDay(at: now)
        trading = evening.adding(days: -1)
    }

    var all: [SettlementDate] { [trading, evening] }
}
