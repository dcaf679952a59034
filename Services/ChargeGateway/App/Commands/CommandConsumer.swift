import Contracts
import KafkaBridge
import OrchardServiceKit

/// Reads `orchard.charges.v1` and processes every batch.
///
/// A batch that cannot be processed stops its partition only. It is tried again: it may wait for the database, a ticket's
/// key, a newer charge-gateway or an operator.
struct CommandConsumer: Service {
    let consumer: KafkaConsumer
    let processor: CommandProcessor

    func run() async throws {
        try await consumer.run { batch in
            try await processor.process(batch.records, of: batch.topicPartition.partition, from: batch.startOffset)
        }
    }
}
