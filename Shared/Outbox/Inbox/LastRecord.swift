import KafkaBridge
import OrchardCrypto

/// The last record of a partition that a database processed. A log with another record at that offset is another log,
/// however long it is: offsets of one mean nothing in the other.
public struct LastRecord: Hashable, Sendable {
    public let offset: Int64
    /// The first half of SHA-256 of its value.
    let digest: [UInt8]

    public init(offset: Int64, value: [UInt8]) {
        self.init(offset: offset, digest: Array(SHA256.hash(value).prefix(16)))
    }

    init(offset: Int64, digest: [UInt8]) {
        self.offset = offset
        self.digest = digest
    }

    /// Whether a log holds it.
    ///
    /// - Returns: nil when that is unknown: retention has deleted it, or the log ends before it.
    public func isThere(in partition: TopicPartition, _ ends: Watermarks, _ reader: KafkaReader) async throws -> Bool? {
        guard ends.low <= offset, offset < ends.high else { return nil }
        let record = try await reader.firstRecord(of: partition, from: offset)
        if let record, LastRecord(offset: record.offset, value: record.value) == self { return true }
        // Retention may have deleted it while it was looked for.
        return try await reader.watermarks(partition).low <= offset ? false : nil
    }
}
