import OrchardServiceKit

/// How to reach a Kafka cluster; the same for each client of a process.
public struct KafkaConfiguration: Sendable {
    /// `host:port,host:port`: enough brokers that one of them is up.
    public var bootstrapServers: String
    /// The name by which brokers' logs and quotas know this process.
    public var clientID: String
    /// librdkafka settings passed through, above all `security.protocol`, `ssl.*` and `sasl.*`. Those that the bridge
    /// rests on (``reserved``) are refused.
    public var extra: [String: String]
    /// The prefix of each topic's and each group's name in the cluster, so that several Orchards can share one; 0 to 64
    /// letters, digits and `. - _`. Only the bridge uses it: it adds and removes it.
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

    /// Whether the value of a librdkafka setting may be a secret: no log and no error shows it. `sasl.jaas.config` is
    /// Java's, and may come here by mistake.
    static func isSecret(_ name: String) -> Bool {
        ["password", "secret", "key.pem", "token", "jaas", "oauthbearer.config"].contains { name.contains($0) }
    }
}

extension KafkaConfiguration {
    /// Reads how to reach the cluster.
    ///
    /// Configuration keys:
    /// - `kafka.bootstrap.servers` (required): `host:port`, several with commas
    /// - `kafka.namespace` (default empty): stands before each topic's and each consumer group's name, so that several
    ///   Orchards can share one Kafka; at most 64 letters, digits, `.`, `-` and `_`
    /// - `kafka.member` (default none): this worker's own name, which no other worker of the service has; the same
    ///   characters
    /// - `kafka.properties.NAME`: librdkafka's settings by their own names, for TLS and SASL; the files that they name
    ///   must be there
    ///
    /// - Parameter clientID: the program's name, as brokers' logs and quotas know it.
    public init(reader: ConfigReader, clientID: String) {
        let kafka = reader.scoped(to: "kafka")
        let servers = kafka.list("bootstrap.servers", doc: "Kafka brokers as host:port; one that is up is enough.")
        let namespace =
            kafka.optionalString(
                "namespace",
                doc: "Stands before each topic's and group's name, so that several Orchards can share one Kafka.") ?? ""
        if let problem = Namespace.problem(namespace) { kafka.report("namespace", problem) }
        let memberName = kafka.optionalString(
            "member",
            doc: "This worker's own name among the workers of its service: started again under it, it goes on at once.")
        if let problem = memberName.flatMap(MemberName.problem) { kafka.report("member", problem) }
        let extra = kafka.section(
            "properties", doc: "librdkafka settings by their own names: security.protocol, ssl.*, sasl.*.",
            isSecret: Self.isSecret
        ) { name, text in
            Self.reserved.contains(name)
                ? "decides correctness and cannot be set" : KafkaFiles.problem(name, text)
        }
        self.init(
            bootstrapServers: servers.joined(separator: ","), clientID: clientID, extra: extra, namespace: namespace,
            memberName: memberName)
    }

    /// Reads how many partitions each topic has.
    ///
    /// Configuration key: `kafka.partitions` (default 12), the same for all services.
    public static func partitions(reader: ConfigReader) -> Int32 {
        Int32(
            reader.int(
                "kafka.partitions", doc: "Partitions of each topic, the same for all services.", default: 12,
                in: 1...10_000))
    }
}
