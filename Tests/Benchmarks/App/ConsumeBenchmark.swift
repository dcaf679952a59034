import CYardstick
import Foundation
import KafkaBridge
import OrchardServiceKit

/// Records of 1 KiB through ``KafkaProducer`` and ``KafkaConsumer``, beside librdkafka alone.
struct ConsumeBenchmark: Benchmark {
    let name = "consume"
    let limit = """
        librdkafka hands its records over as C structures; here each becomes a value with its own bytes, on another thread: \
        to make it and to free it is half of the cost. Both producers wait until all replicas have acknowledged 2,000 \
        records before they send the next. Both consumers may have the whole topic in librdkafka's queue: at its usual \
        mark of 64 MB librdkafka 2.0.2 asks for no more for up to a second, a Kafka on the same machine fills the queue \
        faster than either empties it, and these pauses would be measured instead. Handlers of less than 64 MB a second, as \
        the services' are, have enough in the queue meanwhile.
        """
    private static let partitions: Int32 = 4
    private static let bytes = 1_024
    /// Records that are sent at once.
    private static let batch = 2_000
    private static let rounds = 3

    func run(on bench: Bench) async throws -> [Row] {
        let count = bench.amount(400_000)
        let topic = "bench.consume.\(UInt32.random(in: 0 ... .max))"
        let configuration = KafkaConfiguration(
            bootstrapServers: bench.bootstrapServers, clientID: "bench",
            extra: ["queued.max.messages.kbytes": "2000000"])
        let logger = Logger(label: "bench", level: .error)
        let admin = try KafkaAdmin(configuration, logger: logger)
        // In turns, the best of each: a Kafka that has just started gets faster from round to round.
        var (writing, reading) = (Best(), Best())
        for round in 0..<Self.rounds {
            let (own, other) = ("\(topic).\(round)", "\(topic).\(round).yardstick")
            _ = try await admin.createTopics(
                [own, other].map { TopicSpecification(name: $0, partitions: Self.partitions) })
            let written = await Yardstick.run { [servers = bench.bootstrapServers] in
                yardstick_produce(
                    servers, other, Self.partitions, Int64(count), Int64(Self.bytes), Int64(Self.batch))
            }
            guard written > 0 else { throw BenchError("librdkafka alone did not write \(count) records") }
            writing.take(try await fill(own, count, configuration, logger), beside: Double(written) / 1e9)
            let read = await Yardstick.run { [servers = bench.bootstrapServers] in
                yardstick_consume(servers, own, Self.partitions, Int64(count))
            }
            guard read > 0 else { throw BenchError("librdkafka alone did not read \(count) records") }
            reading.take(try await consume(own, count, configuration, logger), beside: Double(read) / 1e9)
            try await admin.deleteTopics([own, other])
        }
        return [
            Row(
                name: "KafkaProducer, records of 1 KiB, acks=all", value: Double(count) / writing.seconds,
                unit: "records/s", yardstick: ("librdkafka alone", Double(count) / writing.yardstick), alarm: 0.1),
            Row(
                name: "KafkaConsumer, records of 1 KiB", value: Double(count) / reading.seconds, unit: "records/s",
                yardstick: ("librdkafka alone", Double(count) / reading.yardstick), bound: .atLeastShare(0.3),
                aim: .atLeastShare(0.5), alarm: 0.1),
        ]
    }

    /// The shortest times of several rounds.
    private struct Best {
        private(set) var seconds = Double.infinity
        private(set) var yardstick = Double.infinity

        mutating func take(_ seconds: Double, beside yardstick: Double) {
            self.seconds = min(self.seconds, seconds)
            self.yardstick = min(self.yardstick, yardstick)
        }
    }

    /// - Returns: the seconds from the first record's acknowledgement to the last one's.
    private func fill(
        _ topic: String, _ count: Int, _ configuration: KafkaConfiguration, _ logger: Logger
    ) async throws -> Double {
        let producer = try KafkaProducer(configuration, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await producer.run() }
            let value = [UInt8](repeating: 120, count: Self.bytes)
            func send(_ numbers: Range<Int>) async throws {
                _ = try await producer.send(
                    contentsOf: numbers.map {
                        KafkaMessage(
                            topic: topic, partition: Int32($0) % Self.partitions, key: Array("\($0)".utf8), value: value
                        )
                    })
            }
            // It waits for the connection and the producer's number.
            try await send(0..<1)
            let begun = ContinuousClock.now
            for start in stride(from: 1, to: count, by: Self.batch) {
                try await send(start..<min(start + Self.batch, count))
            }
            let duration = ContinuousClock.now - begun
            group.cancelAll()
            return duration / .seconds(1)
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
