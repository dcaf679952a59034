import Contracts
import KafkaBridge
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport

@testable import OrderLedger

/// A journal topic of a test's own on the broker, and a ledger that folds it.
struct TestJournal: Sendable {
    let ledger: TestLedger
    let reader: KafkaReader
    private let kafka: KafkaConfiguration
    private let producer: KafkaProducer
    private let registry = MetricsRegistry()
    private let logger = Logger(label: "test")

    static func with(_ body: @Sendable (TestJournal) async throws -> Void) async throws {
        try await TestLedger.with { ledger in
            let journal = try TestJournal(ledger)
            // The mock cluster makes a topic, of four partitions, when a producer first asks for it.
            _ = await journal.producer.deliver([
                KafkaMessage(topic: Topic.journal.name, partition: 1_000, key: nil, value: [])
            ])
            try await body(journal)
        }
    }

    private init(_ ledger: TestLedger) throws {
        self.ledger = ledger
        kafka = KafkaConfiguration(
            bootstrapServers: try TestServers.kafka(), clientID: "ledger-tests",
            namespace: "test-\(UInt64.random(in: 0 ... .max)).")
        producer = try KafkaProducer(kafka, options: .keepingOrder, logger: logger)
        reader = try KafkaReader(kafka, logger: logger)
    }

    /// The settings that connect a program to this journal.
    var settings: [String: String] {
        ["KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrapServers, "KAFKA_NAMESPACE": kafka.namespace]
    }

    /// Writes records unchanged. The broker assigns their offsets.
    func publish(_ records: [JournalRecord]) async throws {
        _ = try await producer.send(
            contentsOf: records.map { record in
                KafkaMessage(
                    topic: Topic.journal.name, partition: record.position.partition, key: record.key,
                    value: record.value, headers: record.headers.map { KafkaHeader($0.name, $0.value) })
            })
    }

    /// Makes the topic in another namespace.
    func makeTopic(in namespace: String) async throws {
        var kafka = kafka
        kafka.namespace = namespace
        _ = await (try KafkaProducer(kafka, options: .keepingOrder, logger: logger)).deliver([
            KafkaMessage(topic: Topic.journal.name, partition: 1_000, key: nil, value: [])
        ])
    }

    /// Folds until the watermarks have reached the ends of the topic, then leaves the group in order.
    func fold() async throws {
        let admin = try KafkaAdmin(kafka, logger: logger)
        let starts = InboxStarts(
            inbox: LedgerSchema.inbox, database: ledger.database, admin: admin, group: "ledger", logger: logger,
            metrics: registry)
        var options = KafkaConsumer.Options()
        options.batchLimit = 7
        options.fetchWait = .milliseconds(10)
        let consumer = JournalConsumer(
            consumer: try KafkaConsumer(
                kafka, group: "ledger", topics: [Topic.journal.name], observer: starts, options: options,
                logger: logger), projection: ledger.projection)
        let shutdown = GracefulShutdown()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await consumer.run() } }
            try await eventually { try await isFolded }
            shutdown.begin()
            try await group.waitForAll()
        }
    }

    private var isFolded: Bool {
        get async throws {
            let marks = try await LedgerSchema.inbox.watermarks(on: ledger.owner)
            for partition in Int32(0)..<4 {
                let end = try await reader.watermarks(TopicPartition(Topic.journal.name, partition)).high
                if marks[partition]?.nextOffset ?? -1 < end { return false }
            }
            return true
        }
    }

    /// Publishes what the outbox holds.
    func relay() async throws {
        var options = OutboxRelay.Options()
        options.pollInterval = .milliseconds(20)
        let relay = OutboxRelay(
            LedgerSchema.outbox, database: ledger.service, producer: producer, reader: reader, options: options,
            readiness: Readiness(), logger: logger, metrics: registry)
        let shutdown = GracefulShutdown()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await relay.run() } }
            try await eventually { try await waiting() == 0 }
            shutdown.begin()
            try await group.waitForAll()
        }
    }

    private func waiting() async throws -> Int64 {
        let rows = try await ledger.owner.query("SELECT count(*) AS n FROM ledger.outbox")
        return try rows[0].int64("n")
    }

    /// The report of `order-ledger replay`.
    ///
    /// - Parameter namespace: the namespace of the topic, if not its own.
    func replay(at now: Timestamp = Shop.now, in namespace: String? = nil) async throws -> AuditReport {
        var kafka = kafka
        kafka.namespace = namespace ?? kafka.namespace
        return try await LedgerConnections.with(ledger.service) { [kafka] in
            try await Replay(
                connections: $0, inbox: LedgerSchema.inbox, admin: try KafkaAdmin(kafka, logger: logger),
                topic: { try KafkaReader(kafka, logger: logger) }, group: "ledger", now: now
            ).run()
        }
    }
}
