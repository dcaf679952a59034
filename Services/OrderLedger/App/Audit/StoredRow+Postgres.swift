import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension StoredRow {
    /// A row from the three journal tables; what cannot be read in it is nil, so that the audit can name the place.
    init(_ row: PostgresRow, partition: Int32, lines: [PostgresRow], faults: [PostgresRow]) throws {
        let position = JournalPosition(partition: partition, offset: try row.int64("offset"))
        self.init(
            position: position, versions: try RowVersions(row),
            disposition: JournalRow.Disposition(rawValue: try row.string("disposition")),
            record: JournalRecord(
                position: position, key: try row.optionalBytes("key"), headerBytes: try row.bytes("headers"),
                value: try row.bytes("value")),
            entries: Self.entries(lines, at: position),
            faults: try Self.faults(faults, at: position),
            hash: try row.bytes("hash"),
            columns: [
                try row.optionalString("event_id"), try row.optionalString("event_type"),
                try row.optionalString("order_id"), try row.optionalString("source"),
                try row.optionalTimestamp("occurred_at").map { String($0.microseconds) },
                try row.optionalString("stream"), try row.optionalInt64("stream_sequence").map { String($0) },
            ])
    }

    /// The faults of a record; nil when one is not what the ledger writes, or they are not numbered from 0.
    private static func faults(_ rows: [PostgresRow], at position: JournalPosition) throws -> [JournalFault]? {
        var faults: [JournalFault] = []
        for row in rows {
            guard try row.int("fault") == faults.count,
                let subject = FaultSubject(rawValue: try row.string("subject"))
            else { return nil }
            faults.append(
                JournalFault(
                    source: JournalPosition(partition: position.partition, offset: try row.int64("source_offset")),
                    subject: subject, code: try row.string("code"), reason: try row.string("reason")))
        }
        return faults
    }

    /// The entries of a record from their lines; nil when a line is not what the ledger writes.
    private static func entries(_ lines: [PostgresRow], at position: JournalPosition) -> [Entry]? {
        var entries: [Entry] = []
        for row in lines {
            guard let line = try? Line(row, at: position) else { return nil }
            if let last = entries.last, last.index == line.entry.index {
                // The lines of an entry agree in all but account and amount, and are numbered from 0.
                guard line.number == last.postings.count, line.entry.with([]) == last.with([]) else { return nil }
                entries[entries.count - 1] = last.with(last.postings + line.entry.postings)
            } else {
                guard line.number == 0, line.entry.index == entries.count else { return nil }
                entries.append(line.entry)
            }
        }
        return entries
    }

    /// A line, as an entry of one posting.
    private struct Line {
        let number: Int
        let entry: Entry

        init(_ row: PostgresRow, at position: JournalPosition) throws {
            number = try row.int("line")
            entry = Entry.found(
                position: position, index: Int16(clamping: try row.int64("entry")), kind: try row.word("kind"),
                cause: try row.identifier("cause"), time: try row.time("occurred_at"),
                order: try row.identifier("order_id"), payment: try row.identifier("payment_id"),
                merchant: try row.identifier("merchant_id"), rules: Int16(clamping: try row.int64("rules")),
                currency: try row.currency("currency"),
                postings: [Posting(try row.word("account"), try row.int64("amount"))])
        }
    }
}

extension Entry {
    /// The same entry with other postings.
    fileprivate func with(_ postings: [Posting]) -> Entry {
        .found(
            position: position, index: index, kind: kind, cause: cause, time: time, order: order, payment: payment,
            merchant: merchant, rules: rules, currency: currency, postings: postings)
    }
}
