import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension StoredRow {
    /// The columns of `facts` and `entries` that a row is made from, in reading order.
    static let factColumns = """
        "offset", reader, rules, layout, disposition, \(JournalRecord.columns), hash, event_id, event_type, order_id,
        source, occurred_at, stream, stream_sequence
        """
    static let lineColumns = """
        "offset", entry, line, kind, cause, occurred_at, order_id, payment_id, merchant_id, rules, account, amount, currency
        """

    /// A row from the three journal tables. A part that cannot be read is nil, so that the audit can name the place.
    ///
    /// - Parameter position: from the row's column `offset`, the first of ``factColumns``.
    convenience init(
        _ row: PostgresRow, at position: JournalPosition, lines: [PostgresRow], faults: [PostgresRow]
    ) throws {
        self.init(
            position: position, versions: try RowVersions(row),
            disposition: JournalRow.Disposition(rawValue: row.comparableText("disposition") ?? ""),
            record: try JournalRecord(row, at: position),
            entries: Self.entries(lines, at: position),
            faults: try Self.faults(faults, at: position),
            hash: try row.bytes("hash"),
            columns: try EventColumns(row))
    }

    /// The faults of a record; nil when the ledger cannot have written one of them, or they are not numbered from 0.
    private static func faults(_ rows: [PostgresRow], at position: JournalPosition) throws -> [JournalFault]? {
        var faults: [JournalFault] = []
        for row in rows {
            guard try row.int("fault") == faults.count,
                let subject = FaultSubject(rawValue: row.comparableText("subject") ?? "")
            else { return nil }
            faults.append(
                JournalFault(
                    source: JournalPosition(partition: position.partition, offset: try row.int64("source_offset")),
                    subject: subject, code: row.comparableText("code") ?? "",
                    reason: row.comparableText("reason") ?? ""))
        }
        return faults
    }

    /// The entries of a record from their lines; nil when the ledger cannot have written a line.
    private static func entries(_ lines: [PostgresRow], at position: JournalPosition) -> [Entry]? {
        var entries: [Entry] = []
        var last: Line?
        var postings: [Posting] = []
        for row in lines {
            guard let line = try? Line(row) else { return nil }
            if let last, last.index == line.index {
                // The lines of an entry differ only in account and amount, and are numbered from 0.
                guard line.number == postings.count, line.isBeside(last) else { return nil }
            } else {
                guard line.number == 0, line.index == (last.map { $0.index + 1 } ?? 0) else { return nil }
                if let last { entries.append(last.entry(postings, at: position)) }
                last = line
                postings = []
            }
            postings.append(line.posting)
        }
        if let last { entries.append(last.entry(postings, at: position)) }
        return entries
    }

    /// A line of an entry.
    private struct Line {
        let index: Int64
        let number: Int64
        let kind: EntryKind
        let cause: EventID
        let time: Timestamp
        let order: OrderID
        let payment: PaymentID?
        let merchant: MerchantID
        let rules: Int64
        let currency: Currency
        let posting: Posting

        init(_ row: PostgresRow) throws {
            index = try row.int64("entry")
            number = try row.int64("line")
            kind = try row.word("kind")
            cause = try row.identifier("cause")
            time = try row.time("occurred_at")
            order = try row.identifier("order_id")
            payment = try row.optionalIdentifier("payment_id")
            merchant = try row.identifier("merchant_id")
            rules = try row.int64("rules")
            posting = Posting(try row.word("account"), try row.int64("amount"))
            currency = try row.currency("currency")
        }

        /// Whether both lines can belong to one entry.
        func isBeside(_ other: Line) -> Bool {
            kind == other.kind && cause == other.cause && time == other.time && order == other.order
                && payment == other.payment && merchant == other.merchant && rules == other.rules
                && currency == other.currency
        }

        func entry(_ postings: [Posting], at position: JournalPosition) -> Entry {
            Entry.found(
                position: position, index: Int16(clamping: index), kind: kind, cause: cause, time: time, order: order,
                payment: payment, merchant: merchant, rules: Int16(clamping: rules), currency: currency,
                postings: postings)
        }
    }
}

extension EventColumns {
    /// The columns of a row of `facts`.
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.optionalIdentifier("event_id"), type: row.comparableText("event_type"),
            order: try row.optionalIdentifier("order_id"), source: row.comparableText("source"),
            time: Self.time(row), stream: row.comparableText("stream"),
            sequence: try row.optionalInt64("stream_sequence"))
    }

    /// The row's time; where the column holds none that can be, one that no record has, so that the audit names the row.
    private static func time(_ row: PostgresRow) -> Timestamp? {
        do { return try row.optionalTime("occurred_at") } catch { return Timestamp(seconds: 253_402_387_200) }
    }
}
