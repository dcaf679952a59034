import Contracts
import OrchardServiceKit

/// Publishes rejections after their answers were sent: no client waits until Kafka has a rejection.
///
/// The queue is bounded. What does not fit, or is not acknowledged, is dropped and counted: no money depends on it.
/// List it after the producer in the service group, so that it is emptied before the producer stops.
final class RejectionQueue: Service {
    /// The maximum number of rejections that wait.
    static let capacity = 1_000
    /// The number of rejections sent to Kafka at once.
    private static let batch = 64

    private struct Item: Sendable {
        let rejection: PaymentRejected
        let partition: Int32
        let time: Timestamp
        let trace: TraceContext?
    }

    private let publisher: Publisher
    private let metrics: PaymentMetrics
    private let logger: Logger
    private let waiting = Locked<[Item]>([])
    private let arrival = WakeSignal()

    init(publisher: Publisher, metrics: PaymentMetrics, logger: Logger) {
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Adds a rejection to the queue, or drops it when the queue is full. Never waits.
    func add(_ rejection: PaymentRejected, partition: Int32, at time: Timestamp) {
        let item = Item(rejection: rejection, partition: partition, time: time, trace: .current)
        let fits = waiting.withLock { waiting in
            guard waiting.count < Self.capacity else { return false }
            waiting.append(item)
            return true
        }
        if fits { arrival.wake() } else { metrics.countUnpublishedRejection() }
    }

    /// Publishes rejections until the graceful shutdown, and then those that are left.
    func run() async throws {
        await withGracefulShutdownHandler {
            for await _ in arrival.wakeups { await publishWaiting() }
            await publishWaiting()
        } onGracefulShutdown: { [arrival] in
            arrival.finish()
        }
    }

    /// Publishes everything that waits now, in its order, one batch at a time.
    func publishWaiting() async {
        while !Task.isCancelled {
            let batch = waiting.withLock { waiting in
                let batch = Array(waiting.prefix(Self.batch))
                waiting.removeFirst(batch.count)
                return batch
            }
            guard !batch.isEmpty else { return }
            let failures = await withTaskGroup(of: String?.self) { group in
                for item in batch { group.addTask { await self.publish(item) } }
                return await group.reduce(into: [String]()) { if let reason = $1 { $0.append(reason) } }
            }
            guard let reason = failures.first else { continue }
            logger.warning("\(failures.count) rejections were not published: \(reason)")
        }
    }

    /// The one place from which a rejection is published.
    ///
    /// - Returns: why it was not acknowledged.
    private func publish(_ item: Item) async -> String? {
        await TraceContext.$current.withValue(item.trace) {
            do {
                try await publisher.publish(item.rejection, partition: item.partition, at: item.time)
                return nil
            } catch {
                metrics.countUnpublishedRejection()
                return "\(error)"
            }
        }
    }
}
