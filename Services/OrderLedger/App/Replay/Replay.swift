import Contracts
import KafkaBridge
import Ledger
import Outbox
import Postgres

/// `order-ledger replay`: folds the journal topic from its beginning in memory, without the ledger's tables, with the
/// code that runs live, and compares every row, entry, order, payment and chain head with the database.
///
/// It writes nothing, and never talks to an acquirer (rule 10).
struct Replay {
    let reader: LedgerReader
    let inbox: Inbox
    let topic: KafkaReader

    func run() async throws -> AuditReport {
        let heads = try await reader.heads()
        let watermarks = try await inbox.watermarks(on: reader.connection)
        let partitions = Set(try await reader.partitions()).union(watermarks.keys).sorted()
        var comparison = RowComparison()
        var orders = OrderComparison()
        var headFindings: [AuditCheck.Finding] = []
        for partition in partitions {
            let end = watermarks[partition]?.nextOffset ?? 0
            let replay = PartitionReplay(partition: partition, reader: reader)
            if end > 0 {
                try await topic.read(TopicPartition(Topic.journal.name, partition), from: 0, to: end) {
                    try await replay.take($0)
                }
            }
            let (book, found) = try await replay.finish()
            comparison.add(found)
            try await orders.take(book, reader)
            headFindings += Self.compare(book, heads[partition])
        }
        return AuditReport(
            command: "replay",
            positions: partitions.map { JournalPosition(partition: $0, offset: watermarks[$0]?.nextOffset ?? 0) },
            checks: [
                AuditCheck(
                    "S1", "SOURCE", "records read from the topic",
                    counts: "\(comparison.records) records, \(comparison.records - comparison.rows) duplicates"),
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

    private static func compare(_ book: PartitionBook, _ head: LedgerReader.Head?) -> [AuditCheck.Finding] {
        let position = JournalPosition(partition: book.partition, offset: book.lastOffset ?? 0)
        guard book.chain.head != head?.hash ?? HashChain.genesis || book.rows != head?.rows ?? 0 else { return [] }
        return [
            .init(
                "folded \(book.rows) rows, the stored head counts \(head?.rows ?? 0), or their hashes differ",
                at: position)
        ]
    }
}
