/// How to reach a Kafka cluster; the same for each client of a process.
public struct KafkaConfiguration: Sendable {
    /// `host:port,host:port`: enough brokers that one of them is up.
    public var bootstrapServers: String
    /// The name by which brokers' logs and quotas know this process.
    public var clientID: String
    /// librdkafka settings passed through, above all `security.protocol`, `ssl.*` and `sasl.*`. Those that the bridge
    /// rests on (``reserved``) are refused.
    public var extra: [String: String]
    /// What stands before each topic's and each group's name in the cluster, so that several Orchards can share one; 0 to
    /// 64 letters, digits and `. - _`. Nobody above the bridge meets it: names go out with it and come in without it.
    public var namespace: String
    /// This worker's own name in its consumer groups. Started again under it while its session lasts, it goes on with its
    /// partitions at once; nil: it is a new member each time. 1 to 64 characters as in ``namespace``.
    public var memberName: String?

    public init(
        bootstrapServers: String, clientID: String, extra: [String: String] = [:], namespace: String = "",
        memberName: String? = nil
    ) {
        self.bootstrapServers = bootstrapServers
        self.clientID = clientID
        self.extra = extra
        self.namespace = namespace
        self.memberName = memberName
    }

    /// Settings that decide correctness, which only the bridge sets.
    public static let reserved: Set<String> = [
        "bootstrap.servers", "metadata.broker.list", "client.id", "acks", "request.required.acks",
        "enable.idempotence", "enable.auto.commit", "enable.auto.offset.store", "auto.offset.reset", "group.id",
        "transactional.id", "enable.partition.eof", "log.queue", "message.timeout.ms", "delivery.timeout.ms",
        "partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms", "group.instance.id",
        "test.mock.num.brokers",
    ]
}
