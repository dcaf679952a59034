/// A topic for the embedded broker to make, written `name:partitions` on the command line.
public struct BrokerTopic: Hashable, Sendable {
    /// The topic's name.
    public var name: String
    /// The number of partitions.
    public var partitions: Int

    public init(name: String, partitions: Int) {
        self.name = name
        self.partitions = partitions
    }

    /// Reads `name:partitions,name:partitions`.
    public static func list(_ text: String) throws(BrokerError) -> [BrokerTopic] {
        var topics: [BrokerTopic] = []
        for part in text.split(separator: ",") {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty, let partitions = Int(halves[1]), partitions > 0 else {
                throw BrokerError("`\(part)` is no topic: write name:partitions, for example orchard.journal.v1:4")
            }
            topics.append(BrokerTopic(name: String(halves[0]), partitions: partitions))
        }
        return topics
    }
}
