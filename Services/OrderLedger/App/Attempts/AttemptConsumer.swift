import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Reads the topic of attempts in a consumer group of its own: its errors never affect the books.
struct AttemptConsumer: Service {
    let consumer: KafkaConsumer
    let store: AttemptStore
    let metrics: LedgerMetrics

    func run() async throws {
        try await consumer.run { batch in
            let outcome = try await store.process(batch.records, of: batch.topicPartition.partition)
            metrics.attempts(.recorded).increment(by: Int64(outcome.recorded))
            metrics.attempts(.ignored).increment(by: Int64(outcome.ignored))
            metrics.attempts(.unreadable).increment(by: Int64(outcome.unreadable))
        }
    }

    /// The consumer group. It is separate from the group that folds the journal.
    static func group(besides group: String) -> String { "\(group)-attempts" }
}

extension PaymentRejected {
    /// Reads a record of the topic of attempts; nil for any record that token-ingest does not write.
    init?(_ record: KafkaRecord) {
        guard
            let event = try? CloudEvent(record),
            event.type == Self.type, let rejected = try? PaymentRejected(parsing: event.data),
            rejected.order == event.subject
        else { return nil }
        self = rejected
    }
}
