import KafkaBridge
import OrchardServiceKit
import Outbox

/// Asks for the partitions' starts until database and brokers answer; only a rule that forbids the start ends it.
struct PatientStarts: RebalanceObserver {
    let starts: InboxStarts
    let logger: Logger

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        while true {
            do {
                return try await starts.offsets(for: partitions)
            } catch let error as InboxError {
                throw error
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                logger.warning("the partitions' starts wait: \(error)")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
