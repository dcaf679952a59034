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
