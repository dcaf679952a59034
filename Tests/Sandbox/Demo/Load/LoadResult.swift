/// The result of a load: how long each step took, and how each payment ended.
public struct LoadResult: Sendable {
    /// The measured steps.
    public enum Step: String, CaseIterable, Sendable {
        /// From the planned arrival until the order is open.
        case order
        /// From sending the token until token-ingest has accepted it.
        case accept
        /// From sending the token until the device gets "paid".
        case paid = "sent → paid"
        /// From the planned arrival until the device gets "paid".
        case whole = "arrival → paid"
    }

    private var durations: [Step: [Duration]] = [:]
    /// How late this program itself began each customer.
    private var delays: [Duration] = []
    /// Payments by their outcome.
    private(set) var outcomes: [String: Int] = [:]
    /// Payments without an outcome, by the step at which they stopped.
    private(set) var missing: [String: Int] = [:]
    /// The first few errors, in full.
    private(set) var examples: [String] = []
    /// Answers after which a request was repeated: 429, 503, a proxy's own 502 and 504, or none.
    private(set) var repeats: [String: Int] = [:]
    /// Customers who were not played, because too many were in progress.
    private(set) var skipped = 0
    private(set) var begun = 0
    private(set) var ended = 0
    /// From the first arrival to the last end.
    public internal(set) var elapsed = Duration.zero
    /// CPU time of this program during the load.
    public internal(set) var cpuTime = Duration.zero

    public init() {}

    /// Customers who have begun and have not ended.
    public var underWay: Int { begun - ended }
    public var paid: Int { outcomes["paid"] ?? 0 }
    public var withoutOutcome: Int { missing.values.reduce(0, +) }
    /// Whether every customer was played and every payment has an outcome.
    public var isComplete: Bool { skipped == 0 && withoutOutcome == 0 && underWay == 0 }

    /// The smallest duration of a step that `share` of all do not exceed.
    public func percentile(_ share: Double, of step: Step) -> Duration { latencies(of: step).percentile(share) }

    func latencies(of step: Step) -> Latencies { Latencies(durations[step] ?? []) }
    var latenciesOfDelays: Latencies { Latencies(delays) }

    /// Counts a customer as begun, unless too many are in progress.
    mutating func begin(atMost limit: Int) -> Bool {
        guard underWay < limit else {
            skipped += 1
            return false
        }
        begun += 1
        return true
    }

    mutating func add(delay: Duration) { delays.append(delay) }
    mutating func add(_ duration: Duration, of step: Step) { durations[step, default: []].append(duration) }
    mutating func addRepeat(after reason: String) { repeats[reason, default: 0] += 1 }

    mutating func end(_ outcome: String) {
        outcomes[outcome, default: 0] += 1
        ended += 1
    }

    mutating func end(without step: String, because reason: String) {
        missing[step, default: 0] += 1
        if examples.count < 5 { examples.append(reason) }
        ended += 1
    }
}
