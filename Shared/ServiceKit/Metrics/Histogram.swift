/// Counts measurements by size in fixed buckets; durations are in seconds.
public final class Histogram: Sendable {
    /// From a millisecond to ten seconds.
    public static let latencyBuckets: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Upper bounds, inclusive, rising.
    let bounds: [Double]
    /// One more than the bounds: the last counts what is above them all. Not cumulative.
    private let counts: [Counter]
    private let total = Gauge()

    init(bounds: [Double]) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "the buckets' bounds must rise")
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in Counter() }
    }

    /// Counts one value.
    public func record(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count].increment()
        total.increment(by: value)
    }

    /// Records a duration in seconds.
    public func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        record(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// How many measurements there were.
    public var count: Int64 { counts.reduce(0) { $0 + $1.value } }

    /// The sum of all measurements.
    public var sum: Double { total.value }

    /// Measurements at or below each bound, the last one for `+Inf`.
    var cumulativeCounts: [Int64] {
        var running: Int64 = 0
        return counts.map {
            running += $0.value
            return running
        }
    }
}
