import Contracts

/// Recomputes a partition's chain from its stored rows and folds their records again: what was changed, and where.
public struct ChainAudit: Sendable {
    /// The partition folded again from the kept bytes.
    private var book: PartitionBook
    /// Rows whose link does not follow from the row before and their own content.
    public private(set) var brokenLinks: [AuditCheck.Finding] = []
    /// Rows that the live code makes differently from the record they keep.
    public private(set) var differences: [AuditCheck.Finding] = []
    public private(set) var gaps = SequenceGaps()
    public private(set) var rows: Int64 = 0
    public private(set) var entries: Int64 = 0
    /// Rows by what was made of their record.
    public private(set) var dispositions: [JournalRow.Disposition: Int64] = [:]
    public private(set) var unbalanced: [AuditCheck.Finding] = []
    /// Facts that wait for others when the partition ends, in the order of the journal.
    public private(set) var waiting: [JournalEvent] = []
    private var lastHash = HashChain.genesis
    /// The offset of the newest row that was seen.
    public private(set) var lastOffset: Int64?

    public init(partition: Int32) {
        book = PartitionBook(partition: partition)
    }

    /// The hash of the newest row that was seen.
    public var head: [UInt8] { lastHash }

    /// Ends the partition and gives its folded orders away, so that an audit holds those of one partition at a time.
    public mutating func takeBook() -> PartitionBook {
        waiting = book.fold.orders.values.flatMap(\.parked).sorted { $0.position < $1.position }
        defer { book = PartitionBook(partition: book.partition) }
        return book
    }

    /// Takes the next row in the order of offsets.
    public mutating func take(_ row: StoredRow) {
        rows += 1
        entries += Int64(row.entries?.count ?? 0)
        lastOffset = row.position.offset
        if let disposition = row.disposition { dispositions[disposition, default: 0] += 1 }
        checkLink(row)
        for entry in row.entries ?? [] where !Entry.isBalanced(entry.postings) {
            unbalanced.append(.init("entry \(entry.index) does not balance", at: row.position))
        }
        guard let record = row.record else {
            differences.append(.init("the kept headers are not what the ledger writes", at: row.position))
            return
        }
        if let event = try? CloudEvent(
            headers: record.headers.lazy.map { (name: $0.name, value: $0.value) }, value: record.value),
            let place = event.stream
        {
            gaps.note(place, at: row.position, isTaken: row.disposition == .applied || row.disposition == .parked)
        }
        fold(record, row)
    }

    /// Each row's link is checked against the hash stored with the row before, so that one change is one finding.
    private mutating func checkLink(_ row: StoredRow) {
        var chain = HashChain(head: lastHash)
        if row.canonicalBytes.map({ chain.append($0) }) != row.hash {
            brokenLinks.append(
                .init(
                    "the row, its entries or its faults were changed, or rows before it are missing", at: row.position))
        }
        lastHash = row.hash.count == 32 ? row.hash : HashChain.genesis
    }

    private mutating func fold(_ record: JournalRecord, _ row: StoredRow) {
        guard record.position.offset >= book.nextOffset, record.position.offset < .max else {
            differences.append(.init("the row's offset is none of Kafka's", at: row.position))
            return
        }
        guard let expected = book.append(record) else {
            differences.append(.init("the row repeats a fact that an earlier row has", at: row.position))
            return
        }
        differences += Self.differences(expected, row)
    }

    /// What a stored row says otherwise than the live code makes of its record.
    public static func differences(_ expected: JournalRow, _ row: StoredRow) -> [AuditCheck.Finding] {
        var texts: [String] = []
        if row.record != expected.record { texts.append("the kept record differs from the journal's") }
        if row.disposition != expected.disposition {
            texts.append(
                "stored as \(row.disposition?.rawValue ?? "nothing known"), folded as \(expected.disposition.rawValue)")
        }
        if row.entries != expected.entries {
            texts.append(
                "the entries differ: stored \(describe(row.entries)), folded \(describe(expected.entries))")
        }
        if row.faults != expected.faults { texts.append("the faults differ") }
        if row.columns != StoredRow.columns(of: expected.event) {
            texts.append("the columns that repeat the record's headers differ from it")
        }
        return texts.map { .init($0, at: row.position) }
    }

    private static func describe(_ entries: [Entry]?) -> String {
        guard let entries else { return "lines that cannot be read" }
        if entries.isEmpty { return "none" }
        return entries.map { entry in
            entry.kind.rawValue + " "
                + entry.postings.map {
                    "\($0.account.rawValue) \(Money(minorUnits: $0.amount, currency: entry.currency))"
                }.joined(separator: ", ")
        }.joined(separator: "; ")
    }
}
