import CRDKafka
import Foundation
import OrchardServiceKit

/// Reads a cluster's state, creates and deletes topics. What brokers do not answer waits for ``timeout`` at most;
/// questions end at once when their task is cancelled.
public actor KafkaAdmin {
    private let executor: ThreadExecutor
    private nonisolated let handle: ClientHandle
    private let configuration: KafkaConfiguration
    private let logger: Logger
    private var hasController = false
    /// Clients that ask for the offsets of a group, by its name: each has connected, and found the group's coordinator.
    private let askers = Locked<[String: ClientHandle]>([:])
    /// How long one call may take.
    public nonisolated let timeout: Duration

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How topics are called in the cluster.
    nonisolated var names: Namespace { handle.names }
    private nonisolated var milliseconds: Int32 { Int32(clamping: timeout.milliseconds) }

    /// - Throws: ``KafkaError/Code-swift.struct/invalidConfiguration``; never because a broker is down.
    public init(
        _ configuration: KafkaConfiguration, timeout: Duration = .seconds(10), logger: Logger
    ) throws(KafkaError) {
        executor = ThreadExecutor(name: "kafka-admin")
        do {
            handle = try ClientHandle(
                // A consumer's requests create no topic by asking for it.
                .reader, configuration, settings: connectionSettings, events: 0, logger: logger)
        } catch {
            executor.finish {}
            throw error
        }
        self.configuration = configuration
        self.timeout = timeout
        self.logger = logger
        executor.tick(every: .seconds(1)) { [handle, askers] in
            for client in [handle] + askers.withLock({ Array($0.values) }) { client.drainLog(to: logger) }
        }
    }

    deinit {
        executor.finish { [handle, askers] in
            for client in askers.withLock({ Array($0.values) }) + [handle] { client.destroy() }
        }
    }

    /// The identifier of the cluster, and of the namespace in it; another one under the same address is another log.
    public nonisolated func clusterID() async throws(KafkaError) -> String {
        try await ask { handle, milliseconds throws(KafkaError) in
            guard let id = rd_kafka_clusterid(handle.client, milliseconds) else {
                throw handle.unanswered(RD_KAFKA_RESP_ERR__TIMED_OUT, "asking for the cluster id")
            }
            defer { rd_kafka_mem_free(handle.client, id) }
            return handle.names.log(ofCluster: String(cString: id))
        }
    }

    /// The name of a topic of the namespace in the cluster, for messages to operators.
    public nonisolated func clusterName(of topic: String) -> String { handle.names.outer(topic) }

    /// The number of partitions of each topic of the namespace that this client may see; never creates one.
    public nonisolated func partitionCounts() async throws(KafkaError) -> [String: Int32] {
        try await ask { handle, milliseconds throws(KafkaError) in
            try handle.topics(milliseconds: milliseconds).mapValues(\.partitions)
        }
    }

    /// The number of partitions of a topic, `nil` when it does not exist.
    public nonisolated func partitionCount(_ topic: String) async throws(KafkaError) -> Int32? {
        try await partitionCounts()[topic]
    }

    /// The ends of a partition's log, as its leader knows them now.
    public nonisolated func watermarks(_ partition: TopicPartition) async throws(KafkaError) -> Watermarks {
        try await ask { handle, milliseconds throws(KafkaError) in
            try handle.watermarks(partition, milliseconds: milliseconds)
        }
    }

    /// The offsets that a group has committed; partitions without one are left out.
    ///
    /// Uses a client of the group's own, which does not join it.
    public func committedOffsets(
        group: String, of partitions: [TopicPartition]
    ) async throws(KafkaError) -> [TopicPartition: Int64] {
        let asker = try asker(for: group)
        return try await ask { handle, milliseconds throws(KafkaError) in
            let lists = PartitionList(names: handle.names)
            return try lists.with(partitions) { list -> Result<[TopicPartition: Int64], KafkaError> in
                let error = rd_kafka_committed(asker.client, list, milliseconds)
                guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
                    return .failure(KafkaError(error, "asking for the committed offsets of group \(group)"))
                }
                return .success(lists.offsets(of: list).filter { $0.value >= 0 })
            }.get()
        }
    }

    private nonisolated func ask<Value: Sendable>(
        _ body: @escaping @Sendable (ClientHandle, Int32) throws(KafkaError) -> Value
    ) async throws(KafkaError) -> Value {
        // The call keeps the actor, and so its clients, until it has ended.
        try await BlockingCall.run(named: "kafka-ask") { [self] () throws(KafkaError) in
            try withExtendedLifetime(self) { () throws(KafkaError) in try body(handle, milliseconds) }
        }
    }

    private func asker(for group: String) throws(KafkaError) -> ClientHandle {
        if let known = askers.withLock({ $0[group] }) { return known }
        let settings = connectionSettings.merging(["group.id": group, "enable.auto.commit": "false"]) { own, _ in own }
        let asker = try ClientHandle(.consumer, configuration, settings: settings, events: 0, logger: logger)
        askers.withLock { $0[group] = asker }
        return asker
    }

    /// Creates topics and returns when they can be used; one that exists already is left as it is.
    ///
    /// - Returns: the names of those that were created.
    /// - Throws: every topic's problem in one error.
    public func createTopics(_ topics: [TopicSpecification]) throws(KafkaError) -> [String] {
        guard !topics.isEmpty else { return [] }
        try requireController()
        let created = try AdminRequest(handle, milliseconds: milliseconds).createTopics(topics)
        let deadline = ContinuousClock.now + timeout
        while true {
            let shapes = try handle.topics(milliseconds: milliseconds)
            if created.allSatisfy({ shapes[$0]?.isLed == true }) { return created }
            guard ContinuousClock.now < deadline else {
                throw KafkaError(.timedOut, "created \(created), but some have no leader yet", isTransient: true)
            }
            // The actor's own thread may block.
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Deletes topics with all their records, and returns when they are deleted. A topic that does not exist is no
    /// error.
    ///
    /// - Throws: every topic's problem in one error.
    public func deleteTopics(_ topics: [String]) throws(KafkaError) {
        guard !topics.isEmpty else { return }
        try requireController()
        try AdminRequest(handle, milliseconds: milliseconds).deleteTopics(topics)
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = try handle.topics(milliseconds: milliseconds)
            if topics.allSatisfy({ left[$0] == nil }) { return }
            guard ContinuousClock.now < deadline else {
                throw KafkaError(.timedOut, "deleting \(topics): some are still there", isTransient: true)
            }
            // The actor's own thread may block.
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// The settings of a topic in force, those of the broker included.
    ///
    /// - Throws: ``KafkaError/Code-swift.struct/unsupported`` on a cluster without a controller, as the embedded broker is.
    public func describeConfig(_ topic: String) throws(KafkaError) -> [String: String] {
        try requireController()
        return try AdminRequest(handle, milliseconds: milliseconds).describeConfig(topic)
    }

    /// The requests of administration go to the controller; librdkafka's mock cluster has none and would be waited for.
    private func requireController() throws(KafkaError) {
        if hasController { return }
        hasController = try handle.hasController(milliseconds: milliseconds)
        guard hasController else {
            throw KafkaError(.unsupported, "the cluster has no controller, as the sandbox's embedded broker")
        }
    }
}
