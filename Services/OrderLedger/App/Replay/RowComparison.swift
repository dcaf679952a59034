import Ledger

/// Compares rows folded from the topic with those stored.
struct RowComparison {
    var records: Int64 = 0
    private(set) var rows: Int64 = 0
    private(set) var entries: Int64 = 0
    private(set) var findings: [AuditCheck.Finding] = []

    /// Takes the rows of a range of offsets, both in order.
    mutating func take(_ expected: [JournalRow], _ stored: [StoredRow]) {
        rows += Int64(expected.count)
        entries += expected.reduce(0) { $0 + Int64($1.entries.count) }
        let known = Dictionary(stored.map { ($0.position, $0) }) { first, _ in first }
        for row in expected {
            guard let found = known[row.record.position] else {
                findings.append(.init("the journal has this record, the ledger no row", at: row.record.position))
                continue
            }
            findings += ChainAudit.differences(row, found)
            if row.hash != found.hash {
                findings.append(.init("the link of the chain differs", at: row.record.position))
            }
        }
        let told = Set(expected.map(\.record.position))
        findings += stored.filter { !told.contains($0.position) }.map {
            .init("the ledger has this row, the journal no such record", at: $0.position)
        }
    }

    /// Adds what another partition's comparison found.
    mutating func add(_ other: RowComparison) {
        records += other.records
        rows += other.rows
        entries += other.entries
        findings += other.findings
    }
}
