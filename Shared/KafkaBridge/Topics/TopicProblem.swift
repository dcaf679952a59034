/// A way in which a topic is not what it must be; the topic by its name in the cluster, with the namespace.
public enum TopicProblem: Hashable, Sendable, CustomStringConvertible {
    case missing(topic: String)
    case fewerPartitions(topic: String, found: Int32, wanted: Int32)
    case setting(topic: String, name: String, found: String, wanted: String)
    /// The broker does not tell the topic's settings.
    case unknownSettings(topic: String, reason: String)

    /// Whether a service must not start. Unknown settings are for a person to look at.
    public var preventsStart: Bool {
        if case .unknownSettings = self { return false }
        return true
    }

    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .missing(let topic):
            "\(topic) does not exist: run `order-ledger topics create`"
        case .fewerPartitions(let topic, let found, let wanted):
            "\(topic) has \(found) partitions and needs \(wanted): add them with `kafka-topics --alter --topic \(topic) "
                + "--partitions \(wanted)`, or lower kafka.partitions everywhere"
        case .setting(let topic, let name, let found, let wanted):
            "\(topic) has \(name)=\(found) and needs \(wanted): `kafka-configs --alter --entity-type topics "
                + "--entity-name \(topic) --add-config \(name)=\(wanted)`"
        case .unknownSettings(let topic, let reason):
            "the settings of \(topic) are not known: \(reason)"
        }
    }
}
