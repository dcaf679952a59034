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
