/// A record as it was read from a partition.
public struct KafkaRecord: Hashable, Sendable {
    /// Where the record lies.
    public var topicPartition: TopicPartition
    /// Its place in the partition. Offsets grow but may have holes (compaction, transaction markers).
    public var offset: Int64
    /// Milliseconds since 1970, as the producer or the broker set it; −1 when there is none.
    public var timestamp: Int64
    /// The key, `nil` when the record has none.
    public var key: [UInt8]?
    /// The value; a tombstone (null) is read as empty.
    public var value: [UInt8]
    /// The headers in their order.
    public var headers: [KafkaHeader]

    public init(
        topicPartition: TopicPartition, offset: Int64, timestamp: Int64, key: [UInt8]?, value: [UInt8],
        headers: [KafkaHeader]
    ) {
        self.topicPartition = topicPartition
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// The text of the first header of that name.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.text
    }
}
