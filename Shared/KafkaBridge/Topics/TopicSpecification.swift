/// What a topic is to be.
public struct TopicSpecification: Hashable, Sendable {
    /// The topic's name.
    public var name: String
    /// The number of partitions.
    public var partitions: Int32
    /// Copies of each partition; −1 leaves it to the broker's `default.replication.factor`.
    public var replicationFactor: Int32
    /// Topic settings such as `retention.ms`, as Kafka names them.
    public var settings: [String: String]

    public init(name: String, partitions: Int32, replicationFactor: Int32 = -1, settings: [String: String] = [:]) {
        self.name = name
        self.partitions = partitions
        self.replicationFactor = replicationFactor
        self.settings = settings
    }
}
