import Contracts
import Ledger
import OrchardJSON
import OrchardPostgres
import Outbox

/// Reads records of the journal from the books.
struct KeptRecords {
    let connection: PostgresConnection

    /// The record at a place of the journal; nil when the books do not have it.
    func record(at place: DeadLetterPlace) async throws -> KeptRecord? {
        try await connection.query(
            """
            SELECT partition, "offset", disposition, \(JournalRecord.columns) FROM ledger.facts
            WHERE partition = $1 AND "offset" = $2
            """, [place.partition, place.offset]
        ).first.map { try KeptRecord($0) }
    }

    /// The records of an order, in their order. Its partition is searched for: their number may have changed.
    func records(of order: OrderID) async throws -> [KeptRecord] {
        try await connection.query(
            """
            SELECT f.partition, f."offset", f.disposition, f.record, f.key, f.headers, f.value
            FROM ledger.chain_heads AS h CROSS JOIN LATERAL (
                SELECT partition, "offset", disposition, \(JournalRecord.columns) FROM ledger.facts
                WHERE partition = h.partition AND order_id = $1 AND \(JournalTables.isTaken) OFFSET 0) AS f
            ORDER BY f.partition, f."offset"
            """, [order]
        ).map { try KeptRecord($0) }
    }
}

/// A record, and what the books made of it.
struct KeptRecord {
    private let position: JournalPosition
    private let disposition: String
    /// nil when it cannot be read any more: its row was changed.
    private let record: JournalRecord?

    fileprivate init(_ row: PostgresRow) throws {
        position = JournalPosition(partition: try row.int32("partition"), offset: try row.int64("offset"))
        disposition = try row.string("disposition")
        record = try JournalRecord(row, at: position)
    }

    var isWhole: Bool { record != nil }

    /// What may be shown of it: nothing of a record that nobody could read, or that may have a card number.
    private var shown: JournalRecord? {
        guard let record, disposition != JournalRow.Disposition.unreadable.rawValue,
            CardNumberScan.count(in: record) == 0
        else { return nil }
        return record
    }

    /// On one line.
    var json: String {
        let value = shown.flatMap { try? JSONValue(parsing: $0.value) }
        let bytes = JSONWriter.object { object in
            object.member("disposition", disposition)
            if let shown {
                object.array("headers") { array in
                    for header in shown.headers {
                        array.element("\(header.name): \(String(decoding: header.value, as: UTF8.self))")
                    }
                }
            }
            object.member("isWhole", isWhole)
            object.member("place", position.description)
            if let value {
                object.member("value", value)
            } else if let record {
                object.member("valueBytes", Int64(record.value.count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
