import OrchardServiceKit

extension KafkaConsumer {
    /// The options of a consumer.
    public struct Options: Sendable {
        /// How a group's partitions are shared out.
        public enum Assignment: String, Sendable {
            case range
            /// Moves only what must move; needs librdkafka 2.10 or later.
            case cooperativeSticky = "cooperative-sticky"
        }

        /// `range` by default.
        public var assignment = Assignment.range
        /// After this silence of a member its partitions go to others; the broker's least is 6 s.
        public var sessionTimeout: Duration = .seconds(6)
        /// How long the broker may wait for new records before it answers an idle fetch.
        public var fetchWait: Duration = .milliseconds(100)
        /// The most records of a batch.
        public var batchLimit = 500
        /// The bytes of records that may wait for their handlers, beside the batches in progress; partitions have equal
        /// shares.
        public var bufferBytes = 32 << 20
        /// How long a partition that is to leave waits for its handler before that is cancelled.
        public var handlerTimeout: Duration = .seconds(10)
        /// When a partition whose handler or start failed is tried again, and when that is reported.
        public var retries = RetryPolicy()
        /// After so long without progress the observer is asked for an obstacle. With one, the group is left.
        public var obstacleAfter: Duration = .seconds(5)

        public init() {}

        func settings(group: String, member: String?) -> [String: String] {
            var settings = [
                "group.id": group,
                "enable.auto.commit": "false",
                "enable.auto.offset.store": "false",
                "auto.offset.reset": "error",
                // Each reading is answered, also of a partition with nothing new: silence is a failure.
                "enable.partition.eof": "true",
                "partition.assignment.strategy": assignment.rawValue,
                "session.timeout.ms": "\(sessionTimeout.milliseconds)",
                "heartbeat.interval.ms": "\(min(1000, sessionTimeout.milliseconds / 3))",
                "fetch.wait.max.ms": "\(fetchWait.milliseconds)",
                // High, so that they are seldom met: at one of its own marks librdkafka 2.0.2 fetches nothing
                // for up to a second. What waits in the queue then is enough for handlers of less than 64 MB a
                // second; more would take more memory.
                "queued.min.messages": "1000000",
                "queued.max.messages.kbytes": "65536",
                "fetch.max.bytes": "4194304",
            ].merging(connectionSettings) { own, _ in own }
            settings["group.instance.id"] = member
            return settings
        }
    }
}

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
