import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Decides where a consumer's partitions begin: at the watermarks, or not at all.
public struct InboxStarts: RebalanceObserver {
    private let inbox: Inbox
    private let database: PostgresPool
    private let admin: KafkaAdmin
    private let group: String
    private let acceptLogStart: Bool
    private let recovery: PartitionRecovery?
    private let logger: Logger
    private let lost: Counter

    /// - Parameters:
    ///   - group: the consumer's group, whose committed offsets must not be ahead of the database.
    ///   - acceptLogStart: the setting ``Inbox/acceptLogStartKey``.
    ///   - recovery: brings a partition up to the log after a standby was promoted.
    public init(
        inbox: Inbox, database: PostgresPool, admin: KafkaAdmin, group: String, acceptLogStart: Bool = false,
        recovery: PartitionRecovery? = nil, logger: Logger, metrics: MetricsRegistry
    ) {
        self.inbox = inbox
        self.database = database
        self.admin = admin
        self.group = group
        self.acceptLogStart = acceptLogStart
        self.recovery = recovery
        self.logger = logger.scoped(to: "inbox")
        lost = metrics.counter(
            "orchard_inbox_lost_offsets_total", help: "Offsets that left the topic before they were read.",
            labels: [("topic", inbox.topic)])
    }

    /// Without the database nothing can be processed: another instance may reach it.
    public func obstacle() async -> String? { await database.obstacle() }

    /// - Throws: ``InboxError`` with the command to run, `KafkaError`, `PostgresError`.
    public func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        let own = partitions.filter { $0.topic == inbox.topic }
        let clusterID = try await admin.clusterID()
        let committed = try await admin.committedOffsets(group: group, of: own)
        let known = try await database.withConnection { try await inbox.watermarks(on: $0) }
        var logs: [Int32: Inbox.LogState] = [:]
        for partition in own {
            let ends = try await admin.watermarks(partition)
            logs[partition.partition] = Inbox.LogState(
                low: ends.low, high: ends.high, committed: committed[partition],
                isLastThere: try await recovery?.isLastThere(known[partition.partition], in: partition, ends))
        }
        let starts = try await start(logs, clusterID)
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

    /// Recovers what was lost with the promotion of a standby.
    private func start(_ logs: [Int32: Inbox.LogState], _ clusterID: String) async throws -> [Int32: InboxStart] {
        var recovered: Set<Int32> = []
        while true {
            do {
                let (starts, server) = try await database.withConnection { connection in
                    try await inbox.start(logs, clusterID: clusterID, acceptLogStart: acceptLogStart, on: connection)
                }
                if try await hasOwnNumbers(starts.keys.sorted(), on: server) { return starts }
            } catch let error as InboxError {
                guard error.code == .promoted, let recovery, recovered.insert(error.partition).inserted else {
                    throw error
                }
                _ = try await recovery.recover(error.partition)
            }
        }
    }

    /// - Returns: false when a standby was promoted meanwhile, and the start must be determined again.
    /// - Throws: `InboxError` when the log holds events of this service that its database does not know.
    private func hasOwnNumbers(_ partitions: [Int32], on server: DatabaseServer) async throws -> Bool {
        guard let recovery else { return true }
        for partition in partitions {
            guard let refusal = try await recovery.numberRefusal(of: partition, on: server) else { continue }
            guard try await recovery.refuse(partition, refusal) else { return false }
            throw inbox.error(.watermarkBehind, refusal.reason, partition)
        }
        return true
    }
}
