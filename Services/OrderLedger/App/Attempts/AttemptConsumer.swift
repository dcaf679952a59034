import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Reads the topic of attempts in a consumer group of its own: its errors never affect the books.
struct AttemptConsumer: Service {
    let consumer: KafkaConsumer
    let store: AttemptStore
    let metrics: LedgerMetrics

    func run() async throws {
        try await consumer.run { batch in
            let outcome = try await store.process(batch.records, of: batch.topicPartition.partition)
            metrics.attempts("recorded").increment(by: Int64(outcome.recorded))
            metrics.attempts("ignored").increment(by: Int64(outcome.ignored))
            metrics.attempts("unreadable").increment(by: Int64(outcome.unreadable))
        }
    }

    /// The consumer group. It is separate from the group that folds the journal.
    static func group(besides group: String) -> String { "\(group)-attempts" }
}

/// Returns the start offset of each partition.
struct AttemptStarts: RebalanceObserver {
    let store: AttemptStore
    let admin: KafkaAdmin

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        let clusterID = try await admin.clusterID()
        var logs: [Int32: Watermarks] = [:]
        for partition in partitions { logs[partition.partition] = try await admin.watermarks(partition) }
        let starts = try await store.starts(logs, clusterID: clusterID)
        return Dictionary(
            uniqueKeysWithValues: starts.map { (TopicPartition(Topic.attempts.name, $0.key), $0.value) })
    }

    func obstacle() async -> String? { await store.database.obstacle() }
}

extension PaymentRejected {
    /// Reads a record of the topic of attempts; nil for any record that token-ingest does not write.
    init?(_ record: KafkaRecord) {
        guard
            let event = try? CloudEvent(
                headers: record.headers.map { (name: $0.name, value: $0.value) }, value: record.value),
            event.type == Self.type, let rejected = try? PaymentRejected(parsing: event.data),
            rejected.order == event.subject
        else { return nil }
        self = rejected
    }
}
