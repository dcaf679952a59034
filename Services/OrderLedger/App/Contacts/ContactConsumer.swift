import Contracts
import KafkaBridge
import OrchardServiceKit
import Outbox

/// Reads the topic of contacts in a consumer group of its own: its errors never affect the books.
struct ContactConsumer: Service {
    let consumer: KafkaConsumer
    let store: ContactStore
    let metrics: LedgerMetrics
    let logger: Logger

    func run() async throws {
        try await consumer.run { batch in
            let outcome = try await store.process(batch.records, of: batch.topicPartition.partition)
            for (outcome, count) in outcome.counts { metrics.contacts(outcome).increment(by: Int64(count)) }
            if outcome.sealed > 0 {
                logger.error(
                    "contacts cannot be opened: a key of contact.keys is missing; put it back within 8 days",
                    ["contacts": "\(outcome.sealed)"])
            }
        }
    }

    /// The consumer group. It is separate from the group that folds the journal.
    static func group(besides group: String) -> String { "\(group)-contacts" }
}

/// A record of the topic of contacts.
struct ContactRecord {
    let contact: ContactReceived
    /// When token-ingest received it.
    let time: Timestamp

    /// - Returns: nil for any record that token-ingest does not write.
    init?(_ record: KafkaRecord) {
        guard
            let event = try? CloudEvent(record),
            event.type == ContactReceived.type, let contact = try? ContactReceived(parsing: event.data),
            contact.order == event.subject
        else { return nil }
        (self.contact, time) = (contact, event.time)
    }
}
