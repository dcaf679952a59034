import Contracts
import Foundation
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import Outbox

@Suite("The age of the oldest unread record", .timeLimit(.minutes(4)))
struct UnreadRecordMonitorTests {
    @Test func `is told from when it is written until it is taken, also where nobody has begun`() async throws {
        try await with { monitor, fixture in
            var state = UnreadRecordMonitor.State()
            await monitor.check(&state) { Self.now }
            #expect(fixture.reason == "no fact waits")
            #expect(fixture.metrics.expose().contains(#"shop_oldest_unread_fact_age_seconds{partition="3"} 0"#))

            try await fixture.write([1, 1, 3])
            await monitor.check(&state) { Self.now + 20_000 }
            #expect(fixture.reason?.hasPrefix("the oldest unread fact waits ") == true, "\(fixture.reason ?? "")")
            #expect(fixture.age(1) >= 20 && fixture.age(3) >= 20)
            #expect(fixture.age(0) == 0)
            await monitor.check(&state) { Self.now + 95_000 }
            #expect(fixture.reason?.hasPrefix("WARNING: the oldest unread fact waits ") == true)
            #expect(fixture.readiness.report.components["unread facts"]?.isReady == true)
            #expect(fixture.log.lines.map(\.level) == [.warning])

            // Partition 1 has processed the first of its two, partition 3 all.
            try await fixture.take([1: 1, 3: 1])
            await monitor.check(&state) { Self.now + 95_000 }
            #expect(fixture.age(1) >= 95)
            #expect(fixture.age(3) == 0)
            try await fixture.take([1: 2])
            await monitor.check(&state) { Self.now }
            #expect(fixture.age(1) == 0)
            #expect(fixture.reason == "no fact waits")
            #expect(fixture.log.lines.map(\.level) == [.warning, .notice])
        }
    }

    private struct Fixture: Sendable {
        let database: ServiceDatabase
        let producer: KafkaProducer
        let metrics = MetricsRegistry()
        let readiness = Readiness()
        let log = LogRecorder()

        var reason: String? { readiness.report.components["unread facts"]?.reason }

        func age(_ partition: Int32) -> Double {
            metrics.gauge(
                "shop_oldest_unread_fact_age_seconds", help: "", labels: [("partition", "\(partition)")]
            ).value
        }

        func write(_ partitions: [Int32]) async throws {
            _ = try await producer.send(
                contentsOf: partitions.map {
                    KafkaMessage(topic: Topic.journal.name, partition: $0, key: nil, value: [1])
                })
        }

        /// Moves partitions' watermarks to offsets.
        func take(_ offsets: [Int32: Int64]) async throws {
            let connection = try await database.connect()
            for (partition, offset) in offsets {
                _ = try await database.inbox.start(
                    [partition: Inbox.LogState(low: 0, high: 9, committed: nil)], clusterID: "A",
                    acceptLogStart: false, on: connection)
                let from = try await database.inbox.lock(partition, from: nil, on: connection)
                try await database.inbox.advance(partition, from: from, to: offset, by: 1, on: connection)
            }
            await connection.close()
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    private func with(_ body: (UnreadRecordMonitor, Fixture) async throws -> Void) async throws {
        try await ServiceDatabase.with { database in
            let logger = Logger(label: "test")
            let kafka = KafkaConfiguration(
                bootstrapServers: try TestServers.kafka(), clientID: "outbox-tests",
                namespace: "test-\(UInt64.random(in: 0 ... .max)).")
            let producer = try KafkaProducer(kafka, options: .keepingOrder, logger: logger)
            // The mock cluster creates a topic, of four partitions, when a producer first requests it.
            _ = await producer.deliver([KafkaMessage(topic: Topic.journal.name, partition: 1_000, key: nil, value: [])])
            let fixture = Fixture(database: database, producer: producer)
            let pool = PostgresPool(
                database.configuration, logger: logger, metrics: fixture.metrics, readiness: fixture.readiness)
            let monitor = UnreadRecordMonitor(
                database.inbox, of: "fact", prefix: "shop", partitions: 4, database: pool,
                reader: try KafkaReader(kafka, logger: logger), readiness: fixture.readiness,
                logger: fixture.log.logger, metrics: fixture.metrics)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pool.run() }
                defer { group.cancelAll() }
                try await body(monitor, fixture)
            }
        }
    }
}
