import OrchardServiceKit

extension KafkaConfiguration {
    /// Reads how to reach the cluster.
    ///
    /// Configuration keys:
    /// - `kafka.bootstrap.servers` (required): `host:port`, several with commas
    /// - `kafka.namespace` (default empty): stands before each topic's and each consumer group's name, so that several
    ///   Orchards can share one Kafka; at most 64 letters, digits, `.`, `-` and `_`
    /// - `kafka.member` (default none): this worker's own name, which no other worker of the service has; the same
    ///   characters
    /// - `kafka.properties.NAME`: librdkafka's settings by their own names, for TLS and SASL
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
            "properties", doc: "librdkafka settings by their own names: security.protocol, ssl.*, sasl.*.")
        for name in extra.keys.sorted() where Self.reserved.contains(name) {
            kafka.report("properties.\(name)", "decides correctness and cannot be set")
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
