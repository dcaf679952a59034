import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Writing a partition")
struct PartitionBookTests {
    @Test("An unreadable record makes a row of its own, so that counts match, and the partition continues")
    func unreadable() throws {
        let good = History().offer(1, try Shop.totals())
        var book = PartitionBook(partition: Shop.partition)
        let junk = JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: 3), key: nil, headers: [], value: [0xff])
        let appended = book.append(junk)
        let row = try #require(appended)
        #expect(row.disposition == .unreadable)
        #expect(row.event == nil)
        #expect(row.faults.map(\.code) == ["envelope"])
        #expect(row.faults.map(\.source) == [junk.position])
        let next = book.append(good.record(at: 7))
        #expect(next?.disposition == .applied)
        #expect(book.rows == 2)
        #expect(book.nextOffset == 8, "offsets may have holes")
    }

    @Test("Each part of a row changes the chain")
    func sensitivity() throws {
        let totals = try Shop.totals()
        let (_, rows) = PartitionBook.reading(
            [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded))
        let row = try #require(rows.last)
        let entry = try #require(row.entries.first)
        func bytes(
            _ record: JournalRecord? = nil, _ disposition: JournalRow.Disposition? = nil, _ entries: [Entry]? = nil,
            _ faults: [JournalFault]? = nil, versions: RowVersions? = nil
        ) -> [UInt8] {
            RowLayout.v1.bytes(
                RowContent(
                    versions: versions ?? row.versions, record: record ?? row.record,
                    disposition: disposition ?? row.disposition, entries: entries ?? row.entries,
                    faults: faults ?? row.faults))
        }
        let record = row.record
        let moved = JournalPosition(partition: record.position.partition, offset: record.position.offset + 1)
        let variants = [
            bytes(JournalRecord(position: moved, key: record.key, headers: record.headers, value: record.value)),
            bytes(JournalRecord(position: record.position, key: nil, headers: record.headers, value: record.value)),
            bytes(JournalRecord(position: record.position, key: record.key, headers: [], value: record.value)),
            bytes(JournalRecord(position: record.position, key: record.key, headers: record.headers, value: [])),
            bytes(nil, .parked), bytes(nil, nil, []),
            bytes(nil, nil, [entry.altered(postings: [Posting(.sales, 1), Posting(.acquirerReceivable, -1)])]),
            bytes(nil, nil, nil, [JournalFault(source: record.position, subject: .money, code: "a", reason: "b")]),
            bytes(nil, nil, nil, [JournalFault(source: record.position, subject: .order, code: "a", reason: "b")]),
            bytes(versions: RowVersions(reader: 2, rules: 1, layout: 1)),
            bytes(versions: RowVersions(reader: 1, rules: 2, layout: 1)),
        ]
        #expect(Set(variants + [bytes()]).count == variants.count + 1)
    }
}

extension Entry {
    /// The entry with other postings, as in a changed database.
    fileprivate func altered(postings: [Posting]) -> Entry {
        .found(
            position: position, index: index, kind: kind, cause: cause, time: time, order: order, payment: payment,
            merchant: merchant, rules: rules, currency: currency, postings: postings)
    }
}
