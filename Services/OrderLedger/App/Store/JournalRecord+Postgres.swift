import Ledger
import OrchardPostgres
import Outbox

extension JournalRecord {
    /// The columns of `facts` that hold a record: packed in `record`, or as it came, when it is very long or the row is of
    /// before migration 15. In the order in which they are read.
    static let columns = "key, headers, value, record"

    /// The record in ``columns`` of a row.
    ///
    /// - Returns: nil when the ledger cannot have written these columns.
    init?(_ row: PostgresRow, at position: JournalPosition) throws {
        let (key, headers) = (try row.optionalBytes("key"), try row.optionalBytes("headers"))
        let value = try row.optionalBytes("value")
        if let packed = try row.withBytes("record", { JournalRecord(position: position, packed: $0) }) {
            guard let packed, key == nil, headers == nil, value == nil else { return nil }
            self = packed
        } else {
            guard let headers, let value else { return nil }
            self.init(position: position, key: key, headerBytes: headers, value: value)
        }
    }
}

extension PostgresRow {
    /// The value of the record in ``JournalRecord/columns``.
    ///
    /// - Throws: ``StoreError`` when the ledger cannot have written them.
    func recordValue() throws -> [UInt8] {
        // Its place is of no interest here.
        guard let record = try JournalRecord(self, at: JournalPosition(partition: 0, offset: 0)) else {
            throw StoreError(
                .malformed, at: "facts", "a record cannot be read any more; order-ledger audit finds its row")
        }
        return record.value
    }
}
