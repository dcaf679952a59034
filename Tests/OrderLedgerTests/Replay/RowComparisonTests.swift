import Contracts
import Ledger
import LedgerFixtures
import Testing

@testable import OrderLedger

@Suite("Rows folded from the topic and those stored")
struct RowComparisonTests {
    /// What the fold makes of a record.
    private static func row(_ offset: Int64) throws -> JournalRow {
        var book = PartitionBook(partition: 1)
        let record = JournalRecord(
            position: JournalPosition(partition: 1, offset: offset), key: nil, headers: [], value: Array("junk".utf8))
        let row = book.append(ReadRecord(record))
        return try #require(row)
    }

    /// A row as it stands at another offset.
    private static func stray(_ row: StoredRow, to offset: Int64) -> StoredRow {
        StoredRow(
            position: JournalPosition(partition: 1, offset: offset), versions: row.versions,
            disposition: row.disposition, record: row.record, entries: row.entries, faults: row.faults, hash: row.hash,
            columns: row.columns)
    }

    @Test("A row without a record is found wherever it is")
    func withoutRecord() throws {
        let record = try Self.row(5)
        for offset in [Int64.min, -1, 0, 4, 6, .max - 1, .max] {
            let stray = Self.stray(StoredRow(record), to: offset)
            var comparison = RowComparison()
            let stored = [StoredRow(record), stray].sorted { $0.position.offset < $1.position.offset }
            comparison.add([record], stored)
            #expect(comparison.findings.first.map(\.position) == [stray.position])
        }
    }
}
