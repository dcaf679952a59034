import Ledger
import OrchardPostgres
import Outbox

extension LedgerReader {
    /// The rows of a partition in some offsets, with all lines and faults there.
    struct Page {
        var rows: [StoredRow]
        /// All lines of entries, as they are stored, if they were asked for.
        var lines: BookSums
        /// Lines and faults whose row is missing.
        var orphans: FindingList
        /// How many card numbers the columns of a table may hold, if that was asked for.
        var cardNumbers: [String: CardNumberCounts]
        /// The rest of the range; nil when nothing is left.
        var rest: ClosedRange<Int64>?
    }

    /// The first rows of a partition in a range of offsets: those of at most ``chunk`` offsets. It is empty only when the
    /// range is: a log may begin anywhere, and have holes.
    ///
    /// Rows are only added, and a range ends below the watermark: pages agree without a snapshot.
    ///
    /// - Parameter scan: whether to sum the lines and to search the rows for card numbers.
    func page(_ partition: Int32, _ offsets: ClosedRange<Int64>, scan: Bool = false) async throws -> Page {
        let end = offsets.lowerBound.addingReportingOverflow(Int64(Self.chunk) - 1)
        let last = end.overflow ? offsets.upperBound : min(end.partialValue, offsets.upperBound)
        let window = offsets.lowerBound...last
        let bounds: [any PostgresEncodable] = [partition, window.lowerBound, window.upperBound]
        let range = #"WHERE partition = $1 AND "offset" BETWEEN $2 AND $3"#
        let results = try await connection.pipeline([
            PostgresStatement(
                #"SELECT \#(StoredRow.factColumns) FROM ledger.facts \#(range) ORDER BY "offset""#, bounds),
            PostgresStatement(
                #"SELECT \#(StoredRow.lineColumns) FROM ledger.entries \#(range) ORDER BY "offset", entry, line"#,
                bounds),
            PostgresStatement(#"SELECT * FROM ledger.faults \#(range) ORDER BY "offset", fault"#, bounds),
        ])
        if results.allSatisfy({ $0.count == 0 }), window.upperBound < offsets.upperBound,
            let next = try await nextOffset(partition, in: window.upperBound + 1...offsets.upperBound)
        {
            return try await page(partition, next...offsets.upperBound, scan: scan)
        }
        var lines = OffsetGroups(try results[1].rows.map { (offset: try $0.int64("offset"), row: $0) })
        var faults = OffsetGroups(try results[2].rows.map { (offset: try $0.int64("offset"), row: $0) })
        var sums = BookSums()
        let rows = try results[0].rows.map { row in
            let position = JournalPosition(partition: partition, offset: try row.int64("offset"))
            let own = lines.rows(position.offset)
            let stored = try StoredRow(row, at: position, lines: own, faults: faults.rows(position.offset))
            if scan { try sums.add(stored, lines: own) }
            return stored
        }
        let orphans = (lines: lines.left(), faults: faults.left())
        if scan { try sums.add(orphans.lines.map { $0.row }) }
        return Page(
            rows: rows, lines: sums,
            orphans: Self.orphans("an entry", orphans.lines, partition)
                + Self.orphans("a fault", orphans.faults, partition),
            cardNumbers: scan
                ? [
                    "facts": try CardNumberCounts(
                        results[0],
                        unpack: { rows[$0].record ?? JournalRecord(position: rows[$0].position, packed: $1) }),
                    "entries": try CardNumberCounts(results[1]),
                ] : [:],
            rest: results.contains { $0.count > 0 } && window.upperBound < offsets.upperBound
                ? window.upperBound + 1...offsets.upperBound : nil)
    }

    /// The first offset of a range that a table has.
    private func nextOffset(_ partition: Int32, in offsets: ClosedRange<Int64>) async throws -> Int64? {
        let first = JournalTables.appendOnly.map {
            #"(SELECT min("offset") FROM ledger.\#($0) WHERE partition = $1 AND "offset" BETWEEN $2 AND $3)"#
        }
        let rows = try await connection.query(
            "SELECT least(\(first.joined(separator: ", "))) AS next",
            [partition, offsets.lowerBound, offsets.upperBound])
        return try rows[0].optionalInt64("next")
    }

    /// Each offset once.
    private static func orphans(
        _ what: String, _ rows: [OffsetGroups.Row], _ partition: Int32
    ) -> FindingList {
        var last: Int64?
        return FindingList(
            rows.compactMap { row in
                guard row.offset != last else { return nil }
                last = row.offset
                return orphan(what, JournalPosition(partition: partition, offset: row.offset))
            })
    }

    /// The finding for a line or a fault whose row is missing.
    static func orphan(_ what: String, _ position: JournalPosition) -> AuditCheck.Finding {
        .init("\(what) belongs to a row that is missing", at: position)
    }
}

/// Rows of a table in the order of their offsets, read one offset at a time.
private struct OffsetGroups {
    typealias Row = (offset: Int64, row: PostgresRow)

    private let rows: [Row]
    private var next = 0
    private var passed: [Row] = []

    init(_ rows: [Row]) { self.rows = rows }

    /// The rows of an offset. It must be higher than the offset of the call before.
    mutating func rows(_ offset: Int64) -> [PostgresRow] {
        pass { $0 < offset }
        let first = next
        while next < rows.count, rows[next].offset == offset { next += 1 }
        return rows[first..<next].map { $0.row }
    }

    /// The rows of offsets that were never requested.
    mutating func left() -> [Row] {
        pass { _ in true }
        return passed
    }

    private mutating func pass(_ isPassed: (Int64) -> Bool) {
        while next < rows.count, isPassed(rows[next].offset) {
            passed.append(rows[next])
            next += 1
        }
    }
}

extension BookSums {
    /// Adds the lines of a row, which are read already when its entries are what the ledger writes.
    fileprivate mutating func add(_ row: StoredRow, lines: [PostgresRow]) throws {
        guard let entries = row.entries else { return try add(lines) }
        for entry in entries { add(entry) }
    }

    /// Adds lines as they are stored.
    fileprivate mutating func add(_ lines: [PostgresRow]) throws {
        for line in lines {
            add(
                currency: line.comparableText("currency") ?? "", account: line.comparableText("account") ?? "",
                amount: try line.int64("amount"))
        }
    }
}
