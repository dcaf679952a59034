import Ledger

/// Compares rows folded from the topic with those stored.
struct RowComparison: Sendable {
    private(set) var records: Int64 = 0
    private(set) var rows: Int64 = 0
    private(set) var entries: Int64 = 0
    private(set) var findings = FindingList()
    private(set) var unapplied = UnappliedFacts()

    /// Compares the rows of a range of offsets. Both lists are in order.
    ///
    /// - Parameter expected: the row of each record that the topic has there; nil for a known duplicate.
    mutating func add(_ expected: [JournalRow?], _ stored: [StoredRow]) {
        records += Int64(expected.count)
        var next = stored.startIndex
        /// The rows before an offset have no record; without one, all that are left.
        func pass(to offset: Int64? = nil) {
            while next < stored.endIndex, offset.map({ stored[next].position.offset < $0 }) ?? true {
                findings.append(.init("the journal has no record for this row", at: stored[next].position))
                next += 1
            }
        }
        for case let row? in expected {
            rows += 1
            entries += Int64(row.entries.count)
            unapplied.add(row)
            let position = row.record.position
            pass(to: position.offset)
            guard next < stored.endIndex, stored[next].position == position else {
                findings.append(.init("the ledger has no row for this record", at: position))
                continue
            }
            findings.append(ChainAudit.differences(row, stored[next]))
            if row.hash != stored[next].hash { findings.append(.init("the link of the chain differs", at: position)) }
            next += 1
        }
        pass()
    }

    /// Adds rows at places where no row may be.
    mutating func add(strays: FindingList) { findings.append(strays) }

    /// Adds the findings of another partition's comparison.
    mutating func add(_ other: RowComparison) {
        records += other.records
        rows += other.rows
        entries += other.entries
        findings.append(other.findings)
        unapplied.append(other.unapplied)
    }
}
