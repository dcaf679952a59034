/// The ends of a partition's log.
public struct Watermarks: Hashable, Sendable {
    /// The first offset still there.
    public var low: Int64
    /// The offset the next record will get.
    public var high: Int64

    public init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }
}
