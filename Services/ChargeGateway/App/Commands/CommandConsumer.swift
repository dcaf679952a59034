import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Reads `orchard.charges.v1` and takes every batch, however long database or keys make it wait.
struct CommandConsumer: Service {
    let consumer: KafkaConsumer
    let desk: CommandDesk
    let readiness: Readiness
    let logger: Logger

    private static let component = "ticket keys"

    func run() async throws {
        readiness.set(Self.component, ready: true, reason: "every ticket could be checked")
        try await consumer.run { batch in
            try await take(batch)
        }
    }

    /// Tries until the batch is committed; a handler that throws would end the consumer.
    private func take(_ batch: PartitionBatch) async throws {
        var pause = Duration.milliseconds(100)
        while true {
            do {
                try await desk.take(batch.records, of: batch.topicPartition.partition)
                readiness.set(Self.component, ready: true, reason: "every ticket could be checked")
                return
            } catch let error as InboxError {
                throw error
            } catch let wait as TicketWait {
                readiness.set(Self.component, ready: false, reason: "\(batch.topicPartition) waits: \(wait)")
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                logger.warning(
                    "commands wait, trying again: \(error)", ["partition": "\(batch.topicPartition.partition)"])
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(5))
        }
    }
}
