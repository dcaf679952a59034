import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport

@testable import Outbox

/// A service that reads the journal and publishes its own events there, with the parts that recover its partitions.
struct ReadingService: Sendable {
    let pipeline: Pipeline
    let recovery: PartitionRecovery
    let starts: InboxStarts
    /// The service's partition, in its inbox and in its outbox.
    static let partition = TopicPartition(Topic.journal.name, 0)

    /// Runs `body` with a service whose partition was started and has published the events `a` and `b`.
    static func with(_ body: (ReadingService) async throws -> Void) async throws {
        try await ServiceDatabase.with { database in
            let pool = PostgresPool(
                database.configuration, logger: Logger(label: "test"), metrics: MetricsRegistry(),
                readiness: Readiness())
            let service = try ReadingService(database, pool)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pool.run() }
                defer { group.cancelAll() }
                try await service.pipeline.insert(["a", "b"])
                try await service.publish()
                _ = try await service.start()
                try await body(service)
            }
        }
    }

    private init(_ database: ServiceDatabase, _ pool: PostgresPool) throws {
        let logger = Logger(label: "test")
        pipeline = try Pipeline(database, topic: Topic.journal.name)
        let admin = try KafkaAdmin(pipeline.kafka, logger: logger)
        recovery = PartitionRecovery(
            inbox: database.inbox, outbox: pipeline.outbox, topics: [.journal, Topic.journal.deadLetters],
            database: pool, admin: admin,
            reader: pipeline.reader, group: "shop", logger: logger, metrics: MetricsRegistry())
        starts = InboxStarts(
            inbox: database.inbox, database: pool, admin: admin, group: "shop", recovery: recovery, logger: logger,
            metrics: MetricsRegistry())
    }

    /// As a command creates it: it runs the pool itself.
    func recoveryWithItsOwnPool() throws -> PartitionRecovery {
        let logger = Logger(label: "test")
        return PartitionRecovery(
            inbox: pipeline.database.inbox, outbox: pipeline.outbox, topics: [.journal, Topic.journal.deadLetters],
            database: PostgresPool(
                pipeline.database.configuration, logger: logger, metrics: MetricsRegistry(), readiness: Readiness()),
            admin: try KafkaAdmin(pipeline.kafka, logger: logger), reader: pipeline.reader, group: "shop",
            logger: logger, metrics: MetricsRegistry())
    }

    /// The same service, with recreated topics.
    func withNewTopics() throws -> ReadingService { try ReadingService(pipeline.database, recovery.database) }

    /// Processes every record of the partition.
    func take() async throws {
        let records = Locked<[KafkaRecord]>([])
        try await pipeline.reader.read(Self.partition) { new in records.withLock { $0 += new } }
        guard let last = records.withLock({ $0.last }) else { return }
        let inbox = pipeline.database.inbox
        try await recovery.database.withTransaction { connection in
            let next = try await inbox.lock(0, from: nil, on: connection)
            try await inbox.advance(
                0, from: next, to: last.offset + 1, by: records.withLock { $0.count },
                last: LastRecord(offset: last.offset, value: last.value), on: connection)
        }
    }

    /// Records of another producer.
    func send(foreign count: Int) async throws {
        let message = KafkaMessage(topic: pipeline.topic, partition: 0, key: [1], value: Array("foreign".utf8))
        _ = try await pipeline.producer.send(contentsOf: Array(repeating: message, count: count))
    }

    /// What a consumer calls when it is assigned the partition.
    @discardableResult
    func start() async throws -> Int64? { try await starts.offsets(for: [Self.partition])[Self.partition] }

    /// Runs a relay until nothing waits, or until it reports that an operator must act.
    ///
    /// - Returns: what `/readyz` reports on the outbox.
    @discardableResult
    func publish(with recovery: PartitionRecovery? = nil) async throws -> ReadinessReport.Component? {
        let readiness = Readiness()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pipeline.relay(readiness, recovery).run() }
            defer { group.cancelAll() }
            try await eventually {
                let isRefused = readiness.report.components["outbox"]?.reason.contains("recover") ?? false
                let count = try await pipeline.waiting()
                return count == 0 || isRefused
            }
            return readiness.report.components["outbox"]
        }
    }

    /// The outbox as in a backup from before `a`; the watermark stays.
    func forget() async throws { try await pipeline.restoreEmpty() }

    /// Like a promoted standby that never received the last commits: it has lost the events, and continues by itself.
    func promote() async throws {
        try await forget()
        try await asOwner("UPDATE shop.inbox_watermarks SET timeline = '00000000'")
        _ = try await recovery.recover(0)
    }

    /// An event that another process numbered before the database lost it, and that Kafka receives now.
    func send(_ id: String, number: Int64) async throws {
        let row = OutboxRow(
            partition: 0, topic: pipeline.topic, eventID: id, key: Array("key".utf8), headers: [("ce_id", id)],
            value: Array("value of \(id)".utf8))
        _ = try await pipeline.producer.send(contentsOf: [
            StreamBatch.Record(row: row, sequence: number).message(stream: "shop")
        ])
    }

    func asOwner(_ sql: String) async throws {
        let owner = try await PostgresConnection.connect(pipeline.database.owner)
        try await owner.script(sql)
        await owner.close()
    }

    /// Why the partition stops; nil when it continues.
    func refusal() async throws -> String? { try await watermark()?.refusal }

    /// Below it a lost database may have processed the records.
    func mark() async throws -> Int64? { try await watermark()?.mark }

    private func watermark() async throws -> Watermark? {
        let connection = try await pipeline.database.connect()
        let watermark = try await pipeline.database.inbox.watermarks(on: connection)[0]
        await connection.close()
        return watermark
    }
}
