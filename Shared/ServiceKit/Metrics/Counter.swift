import Synchronization

/// A number that only grows, for example payments by outcome.
public final class Counter: Sendable {
    private let count = Atomic<Int64>(0)

    init() {}

    /// Adds `amount`, which must not be negative.
    public func increment(by amount: Int64 = 1) {
        precondition(amount >= 0, "a counter never falls")
        count.add(amount, ordering: .relaxed)
    }

    /// The count since the start.
    public var value: Int64 { count.load(ordering: .relaxed) }
}
