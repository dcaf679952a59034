/// When customers arrive. The rate fixes all times before anything is sent: late answers do not change them.
struct ArrivalSchedule: Sendable {
    /// Customers a second.
    let rate: Double
    /// How many customers come; nil for no end.
    let count: Int?
    private var next = 0

    /// - Parameters:
    ///   - payments: the most customers that come.
    ///   - time: how long customers come; the first one comes at once.
    init(rate: Double, payments: Int? = nil, time: Duration? = nil) {
        self.rate = rate
        let inTime = time.map { Int((rate * ($0 / .seconds(1))).rounded(.up)) }
        count = [payments, inTime].compactMap(\.self).min()
    }

    /// When a customer comes, counted from the start.
    func time(of customer: Int) -> Duration { .seconds(Double(customer) / rate) }

    /// When the next one comes; nil after the last.
    var nextTime: Duration? {
        if let count, next >= count { return nil }
        return time(of: next)
    }

    /// The customers that have come since the last call. A late call gets all of them, each with its own planned time.
    mutating func takeDue(at elapsed: Duration) -> Range<Int> {
        let first = next
        while let time = nextTime, time <= elapsed { next += 1 }
        return first..<next
    }
}
