/// When a circuit breaker opens, and how it tries again.
public struct CircuitBreakerPolicy: Hashable, Sendable {
    /// So many sends since the last answer must find no connection; a refused signature opens at once, because each
    /// further one would decline a customer.
    public var failures = 3
    /// The wait before a probe, longer each time that one fails; the last one repeats.
    public var waits: [Duration] = [1, 2, 4, 8, 15, 30].map { .seconds($0) }
    /// How long a probe of which nobody hears keeps others waiting.
    public var probeTime: Duration = .seconds(30)
    /// How soon to ask again while a probe is on its way.
    public var probeCheck: Duration = .seconds(2)

    public init() {}
}
