import Contracts
import Ledger

extension StoredRow {
    /// A row as a database holds it that nobody has touched.
    package convenience init(_ row: JournalRow) {
        self.init(
            position: row.record.position, versions: row.versions, disposition: row.disposition, record: row.record,
            entries: row.entries, faults: row.faults, hash: row.hash, columns: StoredRow.columns(of: row.event))
    }
}

extension ChainAudit {
    /// Takes rows a page at a time; facts that are asked for again come from the rows before.
    package mutating func add(_ rows: [StoredRow], pages size: Int) {
        let inBooks = Set(
            rows.filter { $0.disposition == .applied || $0.disposition == .parked }.map(\.position))
        var taken: [ReadRecord] = []
        for start in stride(from: 0, to: rows.count, by: size) {
            let page = Array(rows[start..<min(start + size, rows.count)])
            let records = read(page)
            let needs = self.needs(records, of: page)
            add(
                page, records: records, earlier: taken.filter { $0.fact.map { needs.contains($0.fact.order) } == true })
            taken += records.filter { inBooks.contains($0.position) }
        }
    }
}

extension OrderSums.Key {
    /// Any key; an audit draws its own.
    package static let fixed = Self(1, 2)
}
