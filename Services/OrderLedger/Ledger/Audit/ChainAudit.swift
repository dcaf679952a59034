import Contracts

/// Recomputes a partition's chain from its stored rows and folds their records again, to find what was changed and
/// where.
public struct ChainAudit: Sendable {
    /// The partition, folded again from the stored bytes.
    public private(set) var refold: Refold
    /// Rows whose link does not follow from the row before and their own content.
    public private(set) var brokenLinks = FindingList()
    /// Rows that differ from what their own code makes of their record.
    public private(set) var differences = FindingList()
    public private(set) var unbalanced = FindingList()
    public private(set) var unapplied = UnappliedFacts()
    public private(set) var gaps = SequenceGaps()
    public private(set) var rows: Int64 = 0
    public private(set) var entries: Int64 = 0
    /// The number of rows for each disposition.
    public private(set) var dispositions: [JournalRow.Disposition: Int64] = [:]
    /// What the facts post, by the rules of each row.
    public private(set) var posted = BookSums()
    /// What acquirers and banks tell, and what the entries book of it.
    public private(set) var settlement = SettlementAudit()
    /// The hash of the newest processed row.
    public private(set) var head = HashChain.genesis
    /// The offset of the newest processed row.
    public private(set) var lastOffset: Int64?
    private var versions: RowVersions?
    private let registry: VersionRegistry

    public init(
        partition: Int32, key: OrderSums.Key, registry: VersionRegistry = .known, capacity: Int = Refold.capacity
    ) {
        refold = Refold(partition: partition, key: key, capacity: capacity)
        self.registry = registry
    }

    /// The records of a page of rows that can be folded, each read by its own code. Of rows with the same offset, which
    /// only a table without its key can have, it is the first.
    public func read(_ rows: [StoredRow]) -> [ReadRecord] {
        var last: Int64?
        return rows.compactMap { row in
            guard let record = row.record, let code = registry[row.versions], refold.canApply(row.position),
                last.map({ row.position.offset > $0 }) ?? true
            else { return nil }
            last = row.position.offset
            return ReadRecord(record, by: code)
        }
    }

    /// The orders whose earlier facts must be read before ``add(_:records:earlier:)``.
    public mutating func needs(_ records: [ReadRecord], of rows: [StoredRow]) -> [OrderID] {
        refold.needs(records, rows: rows.count)
    }

    /// Processes the next page of rows, in the order of offsets.
    ///
    /// - Parameters:
    ///   - records: the result of ``read(_:)`` for these rows.
    ///   - earlier: the facts that ``needs(_:of:)`` asked for.
    public mutating func add(_ rows: [StoredRow], records: [ReadRecord], earlier: [ReadRecord]) {
        var before = refold.book.chain.head
        let folded = refold.fold(records, earlier: earlier)
        var next = 0
        for row in rows {
            count(row)
            // Each record belongs to a row of the page, in the same order. A row that cannot be folded has none.
            guard next < records.count, records[next].position == row.position else {
                checkLink(row)
                check(nil, row)
                differences.append(.init(unfoldable(row), at: row.position))
                continue
            }
            let expected = folded[next]
            check(records[next].fact?.event, row)
            next += 1
            guard let expected else {
                checkLink(row)
                differences.append(.init("the row repeats a fact that an earlier row has", at: row.position))
                continue
            }
            let found = Self.differences(expected, row)
            // The fold already hashed the same content after the same link. Only faults contain texts, and equal texts
            // may have different bytes.
            let isHashed = found.isEmpty && head == before && expected.faults.isEmpty
            checkLink(row, hashed: isHashed ? expected.hash : nil)
            before = expected.hash
            differences.append(found)
            for entry in expected.entries { posted.add(entry) }
            unapplied.add(expected)
            settlement.add(expected, records[next - 1].fact, stored: row.entries ?? [])
        }
    }

    /// Sums the held orders after all rows were processed, and drops them.
    public mutating func close() { refold.close() }

    private mutating func count(_ row: StoredRow) {
        rows += 1
        entries += Int64(row.entries?.count ?? 0)
        lastOffset = row.position.offset
        if let disposition = row.disposition { dispositions[disposition, default: 0] += 1 }
        for entry in row.entries ?? [] where !Entry.isBalanced(entry.postings) {
            unbalanced.append(.init("entry \(entry.index) does not balance", at: row.position))
        }
        if let versions, row.versions.isOlder(than: versions) {
            differences.append(.init("made by an older version than the row before it", at: row.position))
        }
        versions = row.versions
    }

    /// Checks each row's link against the hash stored with the row before, so that one change is one finding. The link
    /// of a row that a newer program made cannot be checked here; such a row is a separate finding.
    ///
    /// - Parameter link: what follows from the row before and the row's content; nil: it is computed.
    private mutating func checkLink(_ row: StoredRow, hashed link: [UInt8]? = nil) {
        if let code = registry[row.versions] {
            var chain = HashChain(head: head)
            if (link ?? row.content.map { chain.append(code.layout.bytes($0)) }) != row.hash {
                brokenLinks.append(
                    .init(
                        "the row, its entries or its faults were changed, or rows before it are missing",
                        at: row.position))
            }
        }
        head = row.hash.count == 32 ? row.hash : HashChain.genesis
    }

    private func unfoldable(_ row: StoredRow) -> String {
        if row.record == nil { return "the kept record is not what the ledger writes" }
        if registry[row.versions] == nil { return Self.describe(row.versions) }
        return "the row's offset is out of order or out of range"
    }

    /// Processes the stream number of the row's record, also when the record contains no fact.
    private mutating func check(_ known: CloudEvent?, _ row: StoredRow) {
        let event = known ?? row.record.flatMap { try? CloudEvent($0) }
        guard let place = event?.stream, !row.isForeign else { return }
        gaps.add(place, at: row.position, isTaken: row.disposition == .applied || row.disposition == .parked)
    }

    /// The differences between a stored row and what its code makes of its record.
    public static func differences(_ expected: JournalRow, _ row: StoredRow) -> FindingList {
        var texts: [String] = []
        if row.versions != expected.versions { texts.append(Self.describe(row.versions)) }
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
        return FindingList(texts.map { .init($0, at: row.position) })
    }

    private static func describe(_ versions: RowVersions) -> String {
        "made by \(versions), which this program does not know: it needs a newer order-ledger"
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

extension JournalFault {
    /// The finding for a report, at the record that is not in the books.
    var finding: AuditCheck.Finding {
        let what =
            switch subject {
            case .money: "a fact about money is not in the books"
            case .order: "a fact of an order is not in the books"
            case .unknown: "a record of ours cannot be read, so what is missing is unknown"
            case .stranger: "a foreign record"
            }
        return .init("\(what): \(code): \(reason)", at: source)
    }
}
