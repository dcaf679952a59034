/// Where a record stands in the journal topic.
public struct JournalPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let partition: Int32
    public let offset: Int64

    public init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.partition, left.offset) < (right.partition, right.offset)
    }

    /// As in reports: `P3@1042`.
    public var description: String { "P\(partition)@\(offset)" }
}
