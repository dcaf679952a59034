import Contracts

/// Sums the digests of a partition's orders, so that two sets of orders are compared without holding either.
///
/// The sum does not depend on the sequence of the orders, and a new state of an order replaces the old one. The digest
/// is SipHash with keys that are drawn for each audit (`Hasher` over all that ``OrderState`` compares, with two results).
/// A person who changes rows cannot know the keys, so changes cancel each other out with a probability of 2^-128. Sums
/// are kept by bucket: buckets that differ show which orders to compare one by one.
public struct OrderSums: Hashable, Sendable {
    public static let buckets = 1_024

    /// The random keys of one audit.
    public struct Key: Hashable, Sendable {
        let first: UInt64
        let second: UInt64

        public init(_ first: UInt64, _ second: UInt64) {
            self.first = first
            self.second = second
        }
    }

    public let key: Key
    private var sums = [SIMD2<UInt64>](repeating: .zero, count: buckets)

    public init(key: Key) {
        self.key = key
    }

    /// The bucket that an order's digest is summed in.
    public static func bucket(of order: OrderID) -> Int {
        Int(order.halves.low & 0xffff) % buckets
    }

    /// - Parameter status: as stored; a folded order has its own.
    public mutating func add(_ order: OrderState, status: String?) {
        sums[Self.bucket(of: order.id)] &+= digest(order, status)
    }

    /// Replaces an old state of a folded order in the sum by a new one; nil means no state.
    public mutating func replace(_ old: OrderState?, by new: OrderState?) {
        guard old != new else { return }
        if let old { sums[Self.bucket(of: old.id)] &-= digest(old, old.status?.rawValue) }
        if let new { add(new, status: new.status?.rawValue) }
    }

    /// The buckets whose sums differ.
    public func differing(from other: OrderSums) -> Set<Int> {
        precondition(key == other.key, "sums under different keys cannot be compared")
        return Set((0..<Self.buckets).filter { sums[$0] != other.sums[$0] })
    }

    /// Two results of one hasher: its state is twice as wide as both together, and depends on the first key.
    private func digest(_ order: OrderState, _ status: String?) -> SIMD2<UInt64> {
        var first = Hasher()
        first.combine(key.first)
        first.combine(order)
        first.combine(status)
        var second = first
        second.combine(key.second)
        return SIMD2(UInt64(bitPattern: Int64(first.finalize())), UInt64(bitPattern: Int64(second.finalize())))
    }
}
