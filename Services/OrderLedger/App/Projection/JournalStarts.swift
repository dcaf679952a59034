import KafkaBridge
import Outbox

/// Says where the folding of each partition begins: at its watermark, never at what Kafka's group remembers (rule 8).
///
/// While the database is away the member waits in its group; a database that must not be used ends the service.
struct JournalStarts: RebalanceObserver {
    let starts: InboxStarts
    let patience: Patience

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        try await patience.run("folding") { try await starts.offsets(for: partitions) }
    }
}
