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
