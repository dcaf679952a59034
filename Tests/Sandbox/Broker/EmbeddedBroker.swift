import CRDKafkaMock

/// A Kafka broker in this process: librdkafka's mock cluster, on 127.0.0.1 and a port that the system chooses.
///
/// Its log is in memory, 5 MiB for each partition at most, and its cluster id changes with each start. It checks no
/// idempotence and supports neither CreateTopics nor transactions: tests of those need a real Kafka.
public final class EmbeddedBroker: @unchecked Sendable {
    // @unchecked: the mock cluster takes commands from any thread through its own queue; the pointers never change.
    private let client: OpaquePointer
    private let cluster: OpaquePointer
    /// `host:port`, as clients need it.
    public let bootstrapServers: String

    /// Starts the broker with these topics. Others are created with four partitions when a client first uses them.
    ///
    /// - Parameter brokers: how many share the partitions; partitions never move.
    public init(topics: [BrokerTopic] = [], brokers: Int32 = 1) throws(BrokerError) {
        var text = [CChar](repeating: 0, count: 512)
        // The client that owns the cluster reaches no broker on purpose: its error about that means nothing.
        let settings = rd_kafka_conf_new()
        rd_kafka_conf_set(settings, "log_level", "4", nil, 0)
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, &text, text.count) else {
            throw BrokerError("librdkafka makes no client")
        }
        guard let cluster = rd_kafka_mock_cluster_new(client, brokers),
            let servers = rd_kafka_mock_cluster_bootstraps(cluster)
        else {
            rd_kafka_destroy(client)
            throw BrokerError("librdkafka makes no mock cluster")
        }
        self.client = client
        self.cluster = cluster
        bootstrapServers = String(cString: servers)
        for topic in topics { try create(topic) }
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    /// Creates a topic.
    public func create(_ topic: BrokerTopic) throws(BrokerError) {
        try check(
            rd_kafka_mock_topic_create(cluster, topic.name, Int32(topic.partitions), 1), "creating \(topic.name)")
    }

    /// Runs a ``BrokerCommand``.
    public func perform(_ command: BrokerCommand) throws(BrokerError) {
        switch command {
        case .down: try check(rd_kafka_mock_broker_set_down(cluster, -1), "going down")
        case .up: try check(rd_kafka_mock_broker_set_up(cluster, -1), "coming up")
        case .stop(let broker):
            try check(rd_kafka_mock_broker_set_down(cluster, broker), "stopping broker \(broker)")
        case .delay(let milliseconds):
            try check(rd_kafka_mock_broker_set_rtt(cluster, -1, milliseconds), "delaying answers")
        case .fail(let request, let error, let count):
            let errors = [rd_kafka_resp_err_t](repeating: rd_kafka_resp_err_t(error), count: count)
            rd_kafka_mock_push_request_errors_array(cluster, request, errors.count, errors)
        case .topic(let topic): try create(topic)
        }
    }

    private func check(_ error: rd_kafka_resp_err_t, _ what: String) throws(BrokerError) {
        guard error != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        throw BrokerError(
            "\(what): \(rd_kafka_err2str(error).map { String(cString: $0) } ?? "error \(error.rawValue)")")
    }
}
