import OrchardJSON

/// A record as it was read from a partition.
public struct KafkaRecord: Hashable, Sendable {
    /// The place of the record.
    public var topicPartition: TopicPartition
    /// Its place in the partition. Offsets grow but may have holes (compaction, transaction markers).
    public var offset: Int64
    /// Milliseconds since 1970, as the producer or the broker set it; −1 when there is none.
    public var timestamp: Int64
    /// The key, `nil` when the record has none.
    public var key: [UInt8]?
    /// The value; a tombstone (null) is read as empty.
    public var value: [UInt8]
    /// The headers in their order, as they are kept.
    public var packedHeaders: KafkaHeaders

    /// The headers in their order; each call makes them.
    public var headers: [KafkaHeader] {
        get { packedHeaders.list }
        set { packedHeaders = KafkaHeaders(newValue) }
    }

    /// The text of the first header of that name.
    public func header(_ name: String) -> String? {
        packedHeaders[name].flatMap { String(outside: $0) }
    }
}

extension KafkaRecord {
    public init(
        topicPartition: TopicPartition, offset: Int64, timestamp: Int64, key: [UInt8]?, value: [UInt8],
        headers: [KafkaHeader]
    ) {
        self.init(
            topicPartition: topicPartition, offset: offset, timestamp: timestamp, key: key, value: value,
            packedHeaders: KafkaHeaders(headers))
    }
}

/// A record to be sent.
public struct KafkaMessage: Hashable, Sendable {
    /// The topic, which must exist.
    public var topic: String
    /// The partition; always the caller's choice, so that no change of a library's partitioner can move an order.
    public var partition: Int32
    /// The key, `nil` for none.
    public var key: [UInt8]?
    /// The value.
    public var value: [UInt8]
    /// The headers, sent in this order.
    public var headers: [KafkaHeader]

    public init(topic: String, partition: Int32, key: [UInt8]?, value: [UInt8], headers: [KafkaHeader] = []) {
        self.topic = topic
        self.partition = partition
        self.key = key
        self.value = value
        self.headers = headers
    }
}

/// A header of a record; names may repeat and keep their order.
public struct KafkaHeader: Hashable, Sendable {
    /// The name, for example `ce_type`.
    public var name: String
    /// The bytes; a null value on the wire is read as empty.
    public var value: [UInt8]

    public init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// A header whose value is text in UTF-8.
    public init(_ name: String, _ text: String) {
        self.init(name, Array(text.utf8))
    }

    /// The value as text, `nil` when it is not UTF-8 of the kind that ``StreamSafeText`` allows.
    public var text: String? { String(outside: value) }
}

/// One partition of a topic.
public struct TopicPartition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The topic's name.
    public var topic: String
    /// The partition's number, from 0.
    public var partition: Int32

    public init(_ topic: String, _ partition: Int32) {
        self.topic = topic
        self.partition = partition
    }

    /// `topic/partition`, as logs and errors show it.
    public var description: String { "\(topic)/\(partition)" }

    /// Orders by topic, then by number.
    public static func < (left: Self, right: Self) -> Bool {
        left.topic == right.topic ? left.partition < right.partition : left.topic < right.topic
    }
}

/// The broker's acknowledgement that all in-sync replicas hold a message.
public struct Delivery: Hashable, Sendable {
    /// The partition it was written to.
    public var topicPartition: TopicPartition
    /// The offset it got.
    public var offset: Int64

    public init(topicPartition: TopicPartition, offset: Int64) {
        self.topicPartition = topicPartition
        self.offset = offset
    }
}
