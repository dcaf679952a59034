import KafkaBridge
import Ledger
import OrchardServiceKit

/// Reads the journal topic as a member of the ledger's group and folds it.
struct JournalConsumer: Service {
    let consumer: KafkaConsumer
    let projection: Projection
    let patience: Patience

    /// Runs until the graceful shutdown.
    ///
    /// - Throws: when the books cannot go on: a restored database, rows that contradict the fold. While the database is
    ///   merely away, batches wait; folding one again is always safe, since the watermark tells what was done.
    func run() async throws {
        try await consumer.run { batch in
            let records = batch.records.map { JournalRecord($0) }
            try await patience.run("folding") {
                try await projection.apply(records, of: batch.topicPartition.partition)
            }
        }
    }
}
