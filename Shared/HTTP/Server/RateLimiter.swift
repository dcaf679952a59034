import OrchardHTTPTypes
import OrchardServiceKit

/// Limits how often one caller may ask one worker. Callers are known by then: an API key, or the order of a ticket.
///
/// It is the generic cell rate algorithm (ITU-T I.371): of each caller it keeps the time at which its next request would
/// be on schedule. A caller who is on schedule needs no memory.
public final class RateLimiter: Sendable {
    /// What callers are known by.
    public enum Caller: String, Sendable {
        /// An API key.
        case key
        /// The tickets of an order.
        case ticket
    }

    /// Requests a second that a caller may send in the long run; nil for no limit.
    private let rate: Double?
    /// Requests that a caller may send at once after a pause.
    private let burst: Int
    /// Callers that are remembered. While more of them are ahead of their schedule, new ones are not limited: their tickets
    /// are genuine, and a shop has few keys.
    private let capacity: Int
    private let caller: Caller
    private let refused: Counter
    private let schedules = Locked<[String: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - caller: what callers are known by, in the metric and in the answer.
    ///   - rate: requests a second; 0 for no limit. Four seconds' worth may come at once, and 20 at least.
    public init(of caller: Caller, rate: Int, capacity: Int = 50_000, metrics: MetricsRegistry) {
        self.rate = rate > 0 ? Double(rate) : nil
        self.capacity = capacity
        burst = max(20, rate * 4)
        self.caller = caller
        refused = metrics.counter(
            "http_server_rate_limited_requests_total", help: "Requests that came too often from one caller.",
            labels: [("caller", caller.rawValue)])
    }

    /// Counts a request.
    ///
    /// - Parameter name: the caller's; no secret.
    /// - Throws: 429 `rate-limited` with `Retry-After` in whole seconds.
    public func admit(_ name: String, at time: ContinuousClock.Instant = .now) throws(Problem) {
        guard let delay = delay(of: name, at: time) else { return }
        refused.increment()
        let seconds = max(1, Int((delay / .seconds(1)).rounded(.up)))
        throw Problem(
            .tooManyRequests, code: "rate-limited",
            detail:
                "too many requests with this \(caller == .key ? "API key" : "ticket"): nothing was done; wait as Retry-After says, in seconds",
            fields: ["Retry-After": "\(seconds)"])
    }

    /// Counts a request, or returns the time after which the next one is accepted.
    func delay(of name: String, at time: ContinuousClock.Instant) -> Duration? {
        guard let rate else { return nil }
        let interval = Duration.seconds(1) / rate
        let tolerance = interval * Double(burst - 1)
        return schedules.withLock { schedules in
            let schedule = max(schedules[name] ?? time, time)
            let ahead = time.duration(to: schedule)
            if ahead > tolerance { return ahead - tolerance }
            if schedules.count >= capacity, schedules[name] == nil {
                schedules = schedules.filter { $0.value > time }
                guard schedules.count < capacity else { return nil }
            }
            schedules[name] = schedule + interval
            return nil
        }
    }

    /// Callers in memory.
    var count: Int { schedules.withLock { $0.count } }
}
