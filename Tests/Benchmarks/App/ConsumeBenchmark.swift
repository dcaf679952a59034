import CYardstick
import Foundation
import KafkaBridge
import OrchardServiceKit

/// Records of 1 KiB through ``KafkaConsumer``, beside librdkafka alone.
struct ConsumeBenchmark: Benchmark {
    let name = "consume"
    let limit = """
        librdkafka hands its records over as C structures; here each becomes a value with its own bytes, on another thread.
        """
    private static let partitions: Int32 = 4

    func run(on bench: Bench) async throws -> [Row] {
        let count = bench.amount(400_000)
        let topic = "bench.consume.\(UInt32.random(in: 0 ... .max))"
        let configuration = KafkaConfiguration(bootstrapServers: bench.bootstrapServers, clientID: "bench")
        let logger = Logger(label: "bench", level: .error)
        let admin = try KafkaAdmin(configuration, logger: logger)
        _ = try await admin.createTopics([TopicSpecification(name: topic, partitions: Self.partitions)])
        try await fill(topic, count, configuration, logger)

        let nanoseconds = await Yardstick.run { [servers = bench.bootstrapServers] in
            yardstick_consume(servers, topic, Self.partitions, Int64(count))
        }
        guard nanoseconds > 0 else { throw BenchError("librdkafka alone did not read \(count) records") }
        let seconds = try await consume(topic, count, configuration, logger)
        try await admin.deleteTopics([topic])
        return [
            Row(
                name: "KafkaConsumer, records of 1 KiB", value: Double(count) / seconds, unit: "records/s",
                yardstick: ("librdkafka alone", Double(count) / (Double(nanoseconds) / 1e9)), bound: .atLeastShare(0.3),
                aim: .atLeastShare(0.5), alarm: 0.1)
        ]
    }

    private func fill(
        _ topic: String, _ count: Int, _ configuration: KafkaConfiguration, _ logger: Logger
    ) async throws {
        let producer = try KafkaProducer(configuration, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            let value = [UInt8](repeating: 120, count: 1_024)
            for start in stride(from: 0, to: count, by: 2_000) {
                _ = try await producer.send(
                    contentsOf: (start..<min(start + 2_000, count)).map {
                        KafkaMessage(
                            topic: topic, partition: Int32($0) % Self.partitions, key: Array("\($0)".utf8), value: value
                        )
                    })
            }
            group.cancelAll()
        }
    }

    /// - Returns: the seconds from the first batch to the last record.
    private func consume(
        _ topic: String, _ count: Int, _ configuration: KafkaConfiguration, _ logger: Logger
    ) async throws -> Double {
        let consumer = try KafkaConsumer(
            configuration, group: "\(topic).group", topics: [topic], observer: FromTheBeginning(), logger: logger)
        let progress = Locked<(read: Int, first: ContinuousClock.Instant?, last: ContinuousClock.Instant?)>(
            (0, nil, nil))
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            try await consumer.run { batch in
                let isLast = progress.withLock { progress in
                    if progress.first == nil { progress.first = .now }
                    progress.read += batch.records.count
                    if progress.read >= count { progress.last = .now }
                    return progress.read >= count
                }
                if isLast { shutdown.begin() }
            }
        }
        guard case (_, let first?, let last?) = progress.withLock({ $0 }) else {
            throw BenchError("KafkaConsumer did not read \(count) records")
        }
        return (last - first) / .seconds(1)
    }

    private struct FromTheBeginning: RebalanceObserver {
        func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
            Dictionary(uniqueKeysWithValues: partitions.map { ($0, 0) })
        }
    }
}
