import OrchardServiceKit

/// What a consumer shows at `/metrics`.
struct ConsumerMetrics {
    private let registry: MetricsRegistry
    private let group: String
    /// How often partitions came or went.
    let rebalances: Counter

    init(_ registry: MetricsRegistry, group: String) {
        self.registry = registry
        self.group = group
        rebalances = registry.counter(
            "kafka_consumer_rebalances", help: "Assignments and revocations of partitions.", labels: [("group", group)])
    }

    /// Records that are in the log and not processed, as far as the last fetch knows.
    func lag(_ partition: TopicPartition, _ records: Int64) {
        gauge("kafka_consumer_lag", "Records in the log that are not processed yet.", partition)
            .set(Double(max(0, records)))
    }

    /// Records that are here and wait for their handler.
    func waiting(_ partition: TopicPartition, _ records: Int) {
        gauge("kafka_consumer_waiting_records", "Records fetched that wait for their handler.", partition)
            .set(Double(records))
    }

    /// The partition belongs to another member, which reports its lag.
    func left(_ partition: TopicPartition) {
        lag(partition, 0)
        waiting(partition, 0)
    }

    private func gauge(_ name: String, _ help: String, _ partition: TopicPartition) -> Gauge {
        registry.gauge(
            name, help: help,
            labels: [("group", group), ("topic", partition.topic), ("partition", "\(partition.partition)")])
    }
}
