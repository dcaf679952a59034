import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Tells a consumer where its partitions begin: at the watermarks, or not at all.
public struct InboxStarts: RebalanceObserver {
    private let inbox: Inbox
    private let database: PostgresPool
    private let admin: KafkaAdmin
    private let group: String
    private let acceptLogStart: Bool
    private let logger: Logger
    private let lost: Counter

    /// - Parameters:
    ///   - group: the consumer's group, whose committed offsets must not be ahead of the database.
    ///   - acceptLogStart: the setting ``Inbox/acceptLogStartKey``.
    public init(
        inbox: Inbox, database: PostgresPool, admin: KafkaAdmin, group: String, acceptLogStart: Bool = false,
        logger: Logger, metrics: MetricsRegistry
    ) {
        self.inbox = inbox
        self.database = database
        self.admin = admin
        self.group = group
        self.acceptLogStart = acceptLogStart
        self.logger = logger.scoped(to: "inbox")
        lost = metrics.counter(
            "orchard_inbox_lost_offsets_total", help: "Offsets that left the topic before they were read.",
            labels: [("topic", inbox.topic)])
    }

    /// Without the database nothing can be processed: others may have it.
    public func obstacle() async -> String? { await database.obstacle() }

    /// - Throws: ``InboxError`` with the words what to run, `KafkaError`, `PostgresError`.
    public func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        let own = partitions.filter { $0.topic == inbox.topic }
        let clusterID = try await admin.clusterID()
        let committed = try await admin.committedOffsets(group: group, of: own)
        var logs: [Int32: Inbox.LogState] = [:]
        for partition in own {
            let ends = try await admin.watermarks(partition)
            logs[partition.partition] = Inbox.LogState(
                low: ends.low, high: ends.high, committed: committed[partition])
        }
        let starts = try await database.withConnection { [logs] connection in
            try await inbox.start(logs, clusterID: clusterID, acceptLogStart: acceptLogStart, on: connection)
        }
        for (partition, start) in starts {
            guard let loss = start.loss else { continue }
            lost.increment(by: Int64(loss.count))
            logger.critical(
                "offsets left the topic before they were read",
                [
                    "topic": inbox.topic, "partition": "\(partition)", "first": "\(loss.lowerBound)",
                    "last": "\(loss.upperBound - 1)",
                ])
        }
        return Dictionary(uniqueKeysWithValues: starts.map { (TopicPartition(inbox.topic, $0), $1.offset) })
    }
}
