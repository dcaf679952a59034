import KafkaBridge
import OrchardServiceKit

/// A consumer that runs in a task of its own until it is told to leave.
struct Member: Sendable {
    let shutdown = GracefulShutdown()
    private let task: Task<Void, any Error>

    init(
        _ consumer: KafkaConsumer, _ handler: @escaping @Sendable (PartitionBatch) async throws -> Void
    ) {
        let shutdown = shutdown
        task = Task {
            try await GracefulShutdown.$current.withValue(shutdown) { try await consumer.run(perPartition: handler) }
        }
    }

    /// Asks for the graceful shutdown and waits for it.
    func leave() async throws {
        shutdown.begin()
        try await task.value
    }

    /// Waits until the consumer ends by itself.
    func end() async throws { try await task.value }

    /// Cancels, as a service group does when the time for stopping is over.
    func cancel() async throws {
        task.cancel()
        try await task.value
    }
}

extension TestCluster {
    func consumer(
        _ topic: String, group: String? = nil, named name: String? = nil, _ observer: any RebalanceObserver,
        options: KafkaConsumer.Options? = nil, metrics: MetricsRegistry = MetricsRegistry(),
        report: @escaping @Sendable (Bool, String) -> Void = { _, _ in }
    ) throws -> KafkaConsumer {
        var configuration = configuration
        configuration.memberName = name
        return try KafkaConsumer(
            configuration, group: group ?? "group-\(topic)", topics: [topic], observer: observer,
            options: options ?? consumerOptions, logger: testLogger, metrics: metrics, report: report)
    }

    func admin() throws -> KafkaAdmin { try KafkaAdmin(configuration, logger: testLogger) }
}
