import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger replay`: folds the journal topic from its beginning in memory, without the ledger's tables and with
/// the live code. Compares every row, entry, order, payment, chain head and watermark with the database.
/// It writes nothing and never calls an acquirer (rule 10). It reads the database in short transactions, several
/// partitions at once. Memory stays bounded for any number of orders.
struct Replay {
    let connections: LedgerConnections
    let inbox: Inbox
    let admin: KafkaAdmin
    /// Makes a reader of the topic, one for each connection.
    let topic: @Sendable () throws -> KafkaReader
    /// The group that folds the journal. Its committed offsets were in the database before.
    let group: String
    /// The clock for the facts' times; nil: the database's clock.
    var now: Timestamp?

    func run() async throws -> AuditReport {
        // Queried before the watermarks are read: these are never behind Kafka's offsets.
        let log = try await admin.clusterID()
        guard let topicPartitions = try await admin.partitionCount(inbox.topic) else {
            throw Self.otherLog("topic \(admin.clusterName(of: inbox.topic)) does not exist there (log \(log))")
        }
        let committed = try await admin.committedOffsets(group: group, of: (0..<topicPartitions).map(on))
        let start = try await AuditStart.read(connections.first, inbox, and: Array(0..<topicPartitions))
        if let other = start.partitions.compactMap(\.watermark?.clusterID).first(where: { $0 != log }) {
            throw Self.otherLog("the books were folded from log \(other), and this is log \(log)")
        }
        let topics = try connections.readers.map { _ in try topic() }
        let capacity = connections.capacity
        let replayed = try await connections.map(start.partitions) { partition, worker, reader in
            let replay = PartitionReplay(partition, key: start.key, capacity: capacity, reader: reader)
            let isThere = partition.number < topicPartitions
            let log = isThere ? try await topics[worker].watermarks(on(partition.number)) : nil
            let end = min(partition.watermark?.nextOffset ?? 0, log?.high ?? 0)
            if end > 0 {
                try await topics[worker].read(on(partition.number), from: 0, to: end) { try await replay.process($0) }
            }
            return (result: try await replay.finish(), log: log)
        }
        var comparison = RowComparison()
        for partition in replayed { comparison.add(partition.result.comparison) }
        let sources = replayed.map { partition in
            Self.compare(
                partition.result.comparison.records, partition.result.start.watermark, partition.log,
                committed: committed[on(partition.result.start.number)] ?? 0, partition.result.start.number)
        }
        let heads = FindingList(replayed.flatMap { Self.compare($0.result.book, $0.result.start.head) })
        return AuditReport(
            command: "replay", positions: start.partitions.map(\.position),
            checks: [
                AuditCheck(
                    "S1", "SOURCE", "records read from the topic",
                    counts: "\(comparison.records) records, \(comparison.records - comparison.rows) duplicates",
                    findings: FindingList(sources.flatMap(\.self))),
                AuditCheck(
                    "R1", "REPLAY", "rows and entries",
                    counts: "\(comparison.rows) rows, \(comparison.entries) entries, "
                        + "\(comparison.findings.count) differences", findings: comparison.findings),
                .orders("orders and payments", replayed.map(\.result.orders)),
                AuditCheck(
                    "R3", "REPLAY", "chain heads",
                    counts: "\(replayed.count) partitions, \(heads.count) differences", findings: heads),
            ]
                + AuditCheck.unapplied(
                    comparison.unapplied, waiting: replayed.map(\.result.waiting), at: now ?? start.now))
    }

    /// The error for a log that is not the one of the books: comparing them would prove nothing.
    private static func otherLog(_ fact: String) -> ConfigurationError {
        ConfigurationError(problems: [
            .init(
                key: "kafka.bootstrap.servers, kafka.namespace",
                reason: "\(fact): give the cluster and the namespace of the order-ledger whose books these are")
        ])
    }

    private func on(_ partition: Int32) -> TopicPartition { TopicPartition(inbox.topic, partition) }

    private static func compare(_ book: PartitionBook, _ head: LedgerReader.Head?) -> [AuditCheck.Finding] {
        let folded = LedgerReader.Head(
            partition: book.partition, rows: book.rows, duplicates: book.duplicates, lastOffset: book.lastOffset,
            hash: book.chain.head)
        let none = LedgerReader.Head(
            partition: book.partition, rows: 0, duplicates: 0, lastOffset: nil, hash: HashChain.genesis)
        guard folded != head ?? none else { return [] }
        return [
            .init(
                "folded \(book.rows) rows and \(book.duplicates) duplicates, the stored head counts "
                    + "\(head?.rows ?? 0) and \(head?.duplicates ?? 0), or their newest rows or hashes differ",
                at: JournalPosition(partition: book.partition, offset: book.lastOffset ?? 0))
        ]
    }

    /// Compares the watermark with the topic, which may lack records of the ledger or hold unprocessed ones.
    private static func compare(
        _ records: Int64, _ watermark: Watermark?, _ log: Watermarks?, committed: Int64, _ partition: Int32
    ) -> [AuditCheck.Finding] {
        let next = watermark?.nextOffset ?? 0
        let position = JournalPosition(partition: partition, offset: next)
        guard let log else { return [.init("the topic has no such partition", at: position)] }
        if next > log.high {
            return [.init("the watermark is at \(next), but the topic ends at \(log.high)", at: position)]
        }
        if next < committed {
            return [
                .init(
                    "the watermark is at \(next), but the ledger's group has committed \(committed): rows were removed "
                        + "together with all that counts them, or the database was restored", at: position)
            ]
        }
        if watermark == nil, log.high > 0 {
            return [.init("the topic holds \(log.high) offsets, of which the ledger has processed none", at: position)]
        }
        let count = watermark?.count ?? 0
        guard count != records else { return [] }
        return [.init("the watermark counts \(count) records, the topic holds \(records) below it", at: position)]
    }
}
