import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import Outbox

/// `order-ledger replay`: folds the journal topic from its beginning in memory, without the ledger's tables, with the
/// code that runs live, and compares every row, entry, order, payment, chain head and watermark with the database.
///
/// It writes nothing, and never talks to an acquirer (rule 10).
struct Replay {
    let reader: LedgerReader
    let inbox: Inbox
    let admin: KafkaAdmin
    let topic: KafkaReader
    /// The group that folds the journal: what it has committed was in the database before.
    let group: String

    func run() async throws -> AuditReport {
        // Asked before the snapshot is taken with the first query: the watermarks are never behind these.
        let topicPartitions = try await admin.partitionCount(inbox.topic) ?? 0
        let committed = try await admin.committedOffsets(group: group, of: (0..<topicPartitions).map(on))
        let heads = try await reader.heads()
        let watermarks = try await inbox.watermarks(on: reader.connection)
        let partitions = Set(try await reader.partitions()).union(watermarks.keys).union(0..<topicPartitions).sorted()
        var comparison = RowComparison()
        var orders = OrderComparison()
        var (headFindings, watermarkFindings): ([AuditCheck.Finding], [AuditCheck.Finding]) = ([], [])
        for partition in partitions {
            let log = partition < topicPartitions ? try await topic.watermarks(on(partition)) : nil
            let replay = PartitionReplay(partition: partition, reader: reader)
            let end = min(watermarks[partition]?.nextOffset ?? 0, log?.high ?? 0)
            if end > 0 { try await topic.read(on(partition), from: 0, to: end) { try await replay.take($0) } }
            let (book, found) = try await replay.finish()
            comparison.add(found)
            try await orders.take(book, reader)
            headFindings += Self.compare(book, heads[partition])
            watermarkFindings += Self.compare(
                found.records, watermarks[partition], log, committed: committed[on(partition)] ?? 0, partition)
        }
        return AuditReport(
            command: "replay",
            positions: partitions.map { JournalPosition(partition: $0, offset: watermarks[$0]?.nextOffset ?? 0) },
            checks: [
                AuditCheck(
                    "S1", "SOURCE", "records read from the topic",
                    counts: "\(comparison.records) records, \(comparison.records - comparison.rows) duplicates",
                    findings: watermarkFindings),
                AuditCheck(
                    "R1", "REPLAY", "rows and entries",
                    counts: "\(comparison.rows) rows, \(comparison.entries) entries, "
                        + "\(comparison.findings.count) differences", findings: comparison.findings),
                AuditCheck(
                    "R2", "REPLAY", "orders and payments",
                    counts:
                        "\(orders.orders) orders, \(orders.payments) payments, \(orders.findings.count) differences",
                    findings: orders.findings),
                AuditCheck(
                    "R3", "REPLAY", "chain heads",
                    counts: "\(partitions.count) partitions, \(headFindings.count) differences", findings: headFindings),
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

    /// The watermark against the topic itself, which may have lost what the ledger has, or hold what it never took.
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
            return [.init("the topic holds \(log.high) offsets, of which the ledger has taken none", at: position)]
        }
        let count = watermark?.count ?? 0
        guard count != records else { return [] }
        return [.init("the watermark counts \(count) records, the topic holds \(records) below it", at: position)]
    }
}
