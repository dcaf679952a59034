import Ledger
import OrchardPostgres

extension LedgerReader {
    /// The next rows of a partition, with all lines and faults up to the last of them.
    struct Page {
        var rows: [StoredRow]
        /// All lines of entries, as they are stored.
        var lines: BookSums
        /// Lines and faults whose row is missing.
        var orphans: FindingList
        /// The rest of the range; nil when nothing is left.
        var rest: ClosedRange<Int64>?
    }

    /// The next rows of a partition in a range of offsets, at most ``chunk``.
    ///
    /// Rows are only added, and a range ends below the watermark: pages agree without a snapshot.
    func page(_ partition: Int32, _ offsets: ClosedRange<Int64>) async throws -> Page {
        let bounds: [any PostgresEncodable] = [partition, offsets.lowerBound, offsets.upperBound, Int64(Self.chunk)]
        let range = #"WHERE partition = $1 AND "offset" BETWEEN $2 AND $3"#
        // The range ends at the last row of the page, or at the end of the range when the page is not full.
        let upToLast = """
            WHERE partition = $1 AND "offset" BETWEEN $2 AND coalesce((SELECT "offset" FROM ledger.facts \(range)
                ORDER BY "offset" OFFSET $4 - 1 LIMIT 1), $3)
            """
        let results = try await connection.pipeline([
            PostgresStatement(
                #"SELECT \#(StoredRow.factColumns) FROM ledger.facts \#(range) ORDER BY "offset" LIMIT $4"#, bounds),
            PostgresStatement(
                #"SELECT \#(StoredRow.lineColumns) FROM ledger.entries \#(upToLast) ORDER BY "offset", entry, line"#,
                bounds),
            PostgresStatement(#"SELECT * FROM ledger.faults \#(upToLast) ORDER BY "offset", fault"#, bounds),
        ])
        var lines = OffsetGroups(try results[1].rows.map { (offset: try $0.int64("offset"), row: $0) })
        var faults = OffsetGroups(try results[2].rows.map { (offset: try $0.int64("offset"), row: $0) })
        let rows = try results[0].rows.map { row in
            let offset = try row.int64("offset")
            return try StoredRow(row, partition: partition, lines: lines.rows(offset), faults: faults.rows(offset))
        }
        var sums = BookSums()
        for (_, line) in lines.rows {
            sums.add(
                currency: try line.string("currency"), account: try line.string("account"),
                amount: try line.int64("amount"))
        }
        return Page(
            rows: rows, lines: sums,
            orphans: Self.orphans("an entry", lines.left(), partition)
                + Self.orphans("a fault", faults.left(), partition),
            rest: rows.count < Self.chunk ? nil : offsets.rest(behind: rows))
    }

    private static func orphans(_ what: String, _ offsets: [Int64], _ partition: Int32) -> FindingList {
        FindingList(offsets.map { orphan(what, JournalPosition(partition: partition, offset: $0)) })
    }

    /// The finding for a line or a fault whose row is missing.
    static func orphan(_ what: String, _ position: JournalPosition) -> AuditCheck.Finding {
        .init("\(what) belongs to a row that is missing", at: position)
    }
}

extension ClosedRange<Int64> {
    /// The rest of a range of offsets after its first rows were read; nil when nothing is left.
    func rest(behind rows: [StoredRow]) -> Self? {
        guard let last = rows.last?.position.offset, last < upperBound else { return nil }
        return last + 1...upperBound
    }
}

/// Rows of a table in the order of their offsets, read one offset at a time.
private struct OffsetGroups {
    let rows: [(offset: Int64, row: PostgresRow)]
    private var next = 0
    private var passed: [Int64] = []

    init(_ rows: [(offset: Int64, row: PostgresRow)]) { self.rows = rows }

    /// The rows of an offset. It must be higher than the offset of the call before.
    mutating func rows(_ offset: Int64) -> [PostgresRow] {
        pass { $0 < offset }
        let first = next
        while next < rows.count, rows[next].offset == offset { next += 1 }
        return rows[first..<next].map { $0.row }
    }

    /// The offsets that were never requested, each once.
    mutating func left() -> [Int64] {
        pass { _ in true }
        return passed
    }

    private mutating func pass(_ isPassed: (Int64) -> Bool) {
        while next < rows.count, isPassed(rows[next].offset) {
            if passed.last != rows[next].offset { passed.append(rows[next].offset) }
            next += 1
        }
    }
}
