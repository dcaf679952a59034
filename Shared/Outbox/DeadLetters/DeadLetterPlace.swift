import OrchardServiceKit

/// A record's place as people write it: `P3@41` is offset 41 of partition 3.
public struct DeadLetterPlace: Hashable, Sendable, CustomStringConvertible {
    public let partition: Int32
    public let offset: Int64

    public init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }

    /// - Throws: `UsageError` that says how a place is written.
    public init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("P"), let partition = Int32(parts[0].dropFirst()), partition >= 0,
            let offset = Int64(parts[1]), offset >= 0
        else { throw UsageError("a place is written like P3@41: partition 3, offset 41; \(text) is none") }
        self.init(partition: partition, offset: offset)
    }

    public var description: String { "P\(partition)@\(offset)" }
}
