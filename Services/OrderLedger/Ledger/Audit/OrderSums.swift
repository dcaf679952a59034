import Contracts

/// The orders of a partition, each closed into a digest, and the digests summed: two sets of orders are compared without
/// holding either.
///
/// The sum does not depend on the order in which orders are seen, and one state is replaced by the next. The digest is
/// SipHash under keys that are drawn for each audit (`Hasher` over all that ``OrderState`` compares, twice): who changes
/// rows cannot know them, so that changes cancel each other out with a chance of 2^-128. Sums are kept by bucket: those
/// that differ say which orders are to be compared one by one.
public struct OrderSums: Hashable, Sendable {
    public static let buckets = 1_024

    /// What an audit draws at its beginning.
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
        order.bytes.suffix(2).reduce(0) { $0 << 8 | Int($1) } % buckets
    }

    /// - Parameter status: as stored; an order that was folded gives its own.
    public mutating func add(_ order: OrderState, status: String?) {
        sums[Self.bucket(of: order.id)] &+= digest(order, status)
    }

    /// Brings the sum from one state of a folded order to the next; nil: none yet.
    public mutating func replace(_ old: OrderState?, by new: OrderState?) {
        guard old != new else { return }
        if let old { sums[Self.bucket(of: old.id)] &-= digest(old, old.status?.rawValue) }
        if let new { add(new, status: new.status?.rawValue) }
    }

    /// The buckets whose sums differ.
    public func differing(from other: OrderSums) -> Set<Int> {
        precondition(key == other.key, "sums under different keys say nothing of each other")
        return Set((0..<Self.buckets).filter { sums[$0] != other.sums[$0] })
    }

    private func digest(_ order: OrderState, _ status: String?) -> SIMD2<UInt64> {
        SIMD2(digest(order, status, key.first), digest(order, status, key.second))
    }

    private func digest(_ order: OrderState, _ status: String?, _ key: UInt64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(order)
        hasher.combine(status)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
