import Ledger
import OrchardPostgres

extension LedgerReader {
    /// The next rows of a partition, with all lines and faults up to the last of them.
    struct Page {
        var rows: [StoredRow]
        /// All lines of entries, as they are stored.
        var lines: BookSums
        /// Lines and faults whose row is not there.
        var orphans: FindingList
        /// What is left of the range; nil: nothing.
        var rest: ClosedRange<Int64>?
    }

    /// The next rows of a partition in a range of offsets, at most ``chunk``.
    ///
    /// Rows only grow, and a range ends below the watermark: no snapshot is needed for pages to agree.
    func page(_ partition: Int32, _ offsets: ClosedRange<Int64>) async throws -> Page {
        let bounds: [any PostgresEncodable] = [partition, offsets.lowerBound, offsets.upperBound, Int64(Self.chunk)]
        let range = #"WHERE partition = $1 AND "offset" BETWEEN $2 AND $3"#
        // Up to the last row of the page; to the end of the range when there is no whole page.
        let upToLast = """
            WHERE partition = $1 AND "offset" BETWEEN $2 AND coalesce((SELECT "offset" FROM ledger.facts \(range)
                ORDER BY "offset" OFFSET $4 - 1 LIMIT 1), $3)
            """
        let results = try await connection.pipeline([
            PostgresStatement(#"SELECT * FROM ledger.facts \#(range) ORDER BY "offset" LIMIT $4"#, bounds),
            PostgresStatement(
                #"SELECT * FROM ledger.entries \#(upToLast) ORDER BY "offset", entry, line"#, bounds),
            PostgresStatement(#"SELECT * FROM ledger.faults \#(upToLast) ORDER BY "offset", fault"#, bounds),
        ])
        let lines = try Dictionary(grouping: results[1].rows) { try $0.int64("offset") }
        let faults = try Dictionary(grouping: results[2].rows) { try $0.int64("offset") }
        let rows = try results[0].rows.map { row in
            let offset = try row.int64("offset")
            return try StoredRow(row, partition: partition, lines: lines[offset] ?? [], faults: faults[offset] ?? [])
        }
        var sums = BookSums()
        for line in results[1].rows {
            sums.add(
                currency: try line.string("currency"), account: try line.string("account"),
                amount: try line.int64("amount"))
        }
        return Page(
            rows: rows, lines: sums,
            orphans: Self.orphans(partition, rows: rows, lines: Set(lines.keys), faults: Set(faults.keys)),
            rest: rows.count < Self.chunk ? nil : offsets.rest(behind: rows))
    }

    private static func orphans(
        _ partition: Int32, rows: [StoredRow], lines: Set<Int64>, faults: Set<Int64>
    ) -> FindingList {
        let known = Set(rows.map(\.position.offset))
        func list(_ offsets: Set<Int64>, _ what: String) -> FindingList {
            FindingList(
                offsets.subtracting(known).sorted().map {
                    orphan(what, JournalPosition(partition: partition, offset: $0))
                })
        }
        return list(lines, "an entry") + list(faults, "a fault")
    }

    /// What is said of a line or a fault whose row is not there.
    static func orphan(_ what: String, _ position: JournalPosition) -> AuditCheck.Finding {
        .init("\(what) belongs to a row that is not there", at: position)
    }
}

extension ClosedRange<Int64> {
    /// What is left of a range of offsets when its first rows were read; nil when nothing is.
    func rest(behind rows: [StoredRow]) -> Self? {
        guard let last = rows.last?.position.offset, last < upperBound else { return nil }
        return last + 1...upperBound
    }
}
