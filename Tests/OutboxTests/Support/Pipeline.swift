import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport

@testable import Outbox

/// An outbox with its database, and its own topics on the broker.
struct Pipeline: Sendable {
    let database: ServiceDatabase
    let outbox = Outbox(schema: "shop", stream: "shop")
    let topic: String
    let producer: KafkaProducer
    let reader: KafkaReader
    let kafka: KafkaConfiguration
    var options = OutboxRelay.Options()

    static func with(_ body: (Pipeline) async throws -> Void) async throws {
        try await ServiceDatabase.with { try await body(try Pipeline($0)) }
    }

    /// - Parameters:
    ///   - broker: a broker other than the tests'.
    ///   - other: a pipeline of another process: the same database and topic.
    ///   - topic: the topic's name, in the pipeline's own namespace.
    init(
        _ database: ServiceDatabase, broker: String? = nil, sharing other: Pipeline? = nil, topic: String? = nil
    ) throws {
        let name = "\(UInt64.random(in: 0 ... .max))"
        self.topic = other?.topic ?? topic ?? "facts-\(name)"
        kafka = KafkaConfiguration(
            bootstrapServers: try broker ?? TestServers.kafka(), clientID: "outbox-tests",
            namespace: topic == nil ? "" : "\(name).")
        let logger = Logger(label: "test")
        self.database = database
        producer = try KafkaProducer(kafka, options: .keepingOrder, logger: logger)
        reader = try KafkaReader(kafka, logger: logger)
        options.claimInterval = .milliseconds(20)
        options.pollInterval = .milliseconds(50)
    }

    /// Commits events of a partition, named `id`.
    ///
    /// - Parameter topic: a topic other than the pipeline's own.
    func insert(_ ids: [String], partition: Int32 = 0, topic: String? = nil) async throws {
        let connection = try await database.connect()
        try await connection.transaction { connection in
            try await outbox.insert(
                ids.map {
                    OutboxRow(
                        partition: partition, topic: topic ?? self.topic, eventID: $0, key: Array("key".utf8),
                        headers: [("ce_id", $0)], value: Array("value of \($0)".utf8))
                }, on: connection)
        }
        await connection.close()
    }

    /// The publisher of a partition on a session that holds the lock and stays open during the test.
    func publisher(partition: Int32 = 0) async throws -> StreamPublisher {
        let session = try await RelaySession.open(outbox, database.configuration, idleTimeout: .seconds(600))
        let stream = TopicPartition(topic, partition)
        try await eventually { try await session.lock([stream]) == [stream] }
        return StreamPublisher(
            stream, session: session, producer: producer, reader: reader, options: options, searches: LogSearches())
    }

    func relay(_ readiness: Readiness = Readiness(), _ recovery: PartitionRecovery? = nil) -> OutboxRelay {
        OutboxRelay(
            outbox, database: database.configuration, producer: producer, reader: reader, options: options,
            recovery: recovery, readiness: readiness, logger: Logger(label: "test"), metrics: MetricsRegistry())
    }

    /// What the topic's partition holds: ids and numbers in order.
    func published(partition: Int32 = 0) async throws -> [Published] {
        let all = Locked<[Published]>([])
        _ = try await reader.read(TopicPartition(topic, partition), from: 0) { records in
            all.withLock { all in
                for record in records {
                    func text(_ name: String) -> String { record.headers.first { $0.name == name }?.text ?? "" }
                    all.append(
                        Published(
                            id: text("ce_id"), number: Int64(text("ce_streamseq")) ?? 0,
                            value: String(decoding: record.value, as: UTF8.self)))
                }
            }
        }
        return all.withLock { $0 }
    }

    /// Events that wait or are in progress.
    func waiting() async throws -> Int { try await count("SELECT count(*) AS n FROM shop.outbox") }

    /// Events that are about to be sent, or were sent.
    func numbered() async throws -> Int {
        try await count("SELECT coalesce(sum(cardinality(event_ids)), 0)::bigint AS n FROM shop.outbox_batches")
    }

    private func count(_ sql: String) async throws -> Int {
        let connection = try await database.connect()
        let rows = try await connection.query(sql)
        await connection.close()
        return try rows[0].int("n")
    }

    /// The outbox as in a backup from before anything was published.
    func restoreEmpty() async throws {
        let owner = try await PostgresConnection.connect(database.owner)
        try await owner.script("TRUNCATE shop.outbox, shop.outbox_streams, shop.outbox_batches")
        await owner.close()
    }

    struct Published: Hashable, Sendable {
        let id: String
        let number: Int64
        let value: String
    }
}
