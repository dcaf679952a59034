import Synchronization

/// A number that only grows, for example payments by outcome.
public final class Counter: Sendable {
    private let count = Atomic<Int64>(0)

    init() {}

    /// Adds `amount`, which must not be negative.
    public func increment(by amount: Int64 = 1) {
        precondition(amount >= 0, "a counter never falls")
        // At 2^63 it begins again, as counters do when a process starts.
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The count since the start.
    public var value: Int64 { count.load(ordering: .relaxed) }
}

/// A number that rises and falls, for example requests in progress.
public final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(0)

    init() {}

    /// Replaces the value.
    public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds `amount`, which may be negative.
    public func increment(by amount: Double = 1) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (done, seen) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if done { return }
            old = seen
        }
    }

    /// Subtracts `amount`.
    public func decrement(by amount: Double = 1) { increment(by: -amount) }

    public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}
