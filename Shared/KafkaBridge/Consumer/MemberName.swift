/// A worker's own name in its consumer group, Kafka's `group.instance.id`.
///
/// The broker keeps the partitions of a named member until its session ends, whether it was killed or has stopped: started
/// again by then, it goes on with them at once, and no other member has to pause.
enum MemberName {
    /// What is wrong with a name, nil when nothing is.
    static func problem(_ name: String) -> String? { name.isEmpty ? "is empty" : Namespace.problem(name) }
}

extension KafkaError {
    /// The broker gives a name's partitions to the member that came with it last; the one before has to end.
    static func fenced(_ name: String, group: String) -> KafkaError {
        KafkaError(
            .fencedInstance,
            "another worker has joined the group \(group) as \(name), and this one ends: give each worker of the service a "
                + "name of its own (kafka.member)",
            isFatal: true)
    }
}
