import Ledger
import OrchardPostgres
import Outbox

extension RowVersions {
    /// The versions of the code that made a row of `facts`, from its columns.
    init(_ row: PostgresRow) throws {
        self.init(
            reader: Int16(clamping: try row.int64("reader")), rules: Int16(clamping: try row.int64("rules")),
            layout: Int16(clamping: try row.int64("layout")))
    }
}

extension ReadRecord {
    /// The columns of `facts` that ``init(_:partition:)`` reads, in this order.
    static let columns =
        #"f."offset", f.reader, f.rules, f.layout, f.key, f.headers, f.value, f.record"#

    /// Joins the record at the place of each row of a table, if it is there, as `f`.
    ///
    /// - Parameter table: the table's name in the statement; it has `partition` and `offset`.
    static func joined(to table: String) -> String {
        """
        LEFT JOIN LATERAL (SELECT \(columns) FROM ledger.facts AS f
            WHERE f.partition = \(table).partition AND f."offset" = \(table)."offset" OFFSET 0) AS f ON true
        """
    }

    /// A record as it is stored in a row of `facts`, read by the code that made the row.
    ///
    /// - Throws: ``StoreError`` when neither this program nor an older one can have written the row.
    convenience init(_ row: PostgresRow, partition: Int32) throws {
        let position = JournalPosition(partition: partition, offset: try row.int64("offset"))
        let versions = try RowVersions(row)
        guard let code = VersionRegistry.known[versions] else {
            throw StoreError(
                .malformed, at: "facts",
                "the row \(position) was made by \(versions), which this program does not know: it needs a newer "
                    + "order-ledger")
        }
        guard let record = try JournalRecord(row, at: position) else {
            throw StoreError(.malformed, at: "facts", "the record \(position) cannot be read any more")
        }
        self.init(record, by: code)
    }

    /// The fact of a row that is in the books.
    func event() throws -> JournalEvent {
        guard let fact else {
            throw StoreError(.malformed, at: "facts", "the record \(position) cannot be read any more")
        }
        return fact
    }
}
