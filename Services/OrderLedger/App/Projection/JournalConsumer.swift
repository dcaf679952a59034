import KafkaBridge
import Ledger
import OrchardServiceKit

/// Reads the journal topic as a member of the ledger's group and folds it.
///
/// A batch that cannot be folded stops only its partition and is tried again. It waits for the database, for a newer
/// order-ledger, or for an operator. Folding a batch again is always safe: the watermark shows what was done.
struct JournalConsumer: Service {
    let consumer: KafkaConsumer
    let projection: Projection

    /// Many facts in a batch: a transaction costs as much as some dozens of facts.
    static var options: KafkaConsumer.Options {
        var options = KafkaConsumer.Options()
        options.batchLimit = 1_000
        return options
    }

    /// Runs until the graceful shutdown.
    func run() async throws {
        try await consumer.run { try await projection.apply($0) }
    }
}

extension Projection {
    /// Applies a batch of the journal topic to the books.
    func apply(_ batch: PartitionBatch) async throws {
        try await apply(
            batch.records.map { JournalRecord($0) }, of: batch.topicPartition.partition, from: batch.startOffset)
    }
}

extension JournalRecord {
    /// A record of the journal topic, from a Kafka record.
    init(_ record: KafkaRecord) {
        self.init(
            position: JournalPosition(partition: record.topicPartition.partition, offset: record.offset),
            key: record.key, headerCount: record.packedHeaders.count, fields: record.packedHeaders.fields,
            value: record.value)
    }
}
