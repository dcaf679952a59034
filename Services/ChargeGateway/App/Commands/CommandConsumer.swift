import Contracts
import KafkaBridge
import OrchardServiceKit

/// Reads `orchard.charges.v1` and takes every batch.
///
/// A batch that cannot be taken stops its partition only: it waits while the database is away, for a ticket's key, for a
/// newer charge-gateway, or for a person, and is tried again.
struct CommandConsumer: Service {
    let consumer: KafkaConsumer
    let processor: CommandProcessor

    func run() async throws {
        try await consumer.run { batch in
            try await processor.process(batch.records, of: batch.topicPartition.partition, from: batch.startOffset)
        }
    }
}
