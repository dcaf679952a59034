import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import Outbox

#if canImport(OrderLedger)
    @testable import OrderLedger
#endif

/// Properties of any bytes on the journal topic: they can be stored unchanged, and every row made of them can be sent
/// to PostgreSQL.
enum JournalRecordProperties {
    /// - Parameter bytes: records, separated by an empty line and a line of `--`. Each has the key's line, the headers'
    ///   lines, an empty line and the value.
    /// - Returns: the property that does not hold.
    static func violation(_ bytes: [UInt8]) -> String? {
        var book = PartitionBook(partition: 0)
        var rows: [JournalRow] = []
        for record in records(bytes) {
            let kept = JournalRecord(
                position: record.position, key: record.key, headerBytes: record.headerBytes, value: record.value)
            guard kept == record else { return "the kept record differs from the one that was read" }
            if let packed = record.packed, JournalRecord(position: record.position, packed: packed.span) != record {
                return "the packed record differs from the one that was read"
            }
            if NewerRecord(record) != nil { continue }
            if let row = book.append(record) { rows.append(row) }
        }
        let letters = rows.flatMap { row in
            row.faults.enumerated().map { index, fault in
                DeadLetter(
                    code: fault.code, reason: fault.reason, place: TopicPartition(Topic.journal.name, 0),
                    offset: fault.source.offset
                ).row(source: EventSource.orderLedger.rawValue, key: row.record.key, index: index)
            }
        }
        do throws(PostgresError) {
            let orders = book.fold.orders.values.map { OrderChange(partition: 0, from: nil, to: $0) }
            for write in JournalStore.saving(rows, orders, [book]) {
                try write.statement.checkParameters()
            }
            try Outbox(schema: "ledger", stream: "order-ledger").insertion(of: letters).checkParameters()
        } catch {
            return "\(error)"
        }
        return nil
    }

    private static func records(_ bytes: [UInt8]) -> [JournalRecord] {
        parts(of: bytes[...], dividedBy: Array("\n--\n".utf8)).prefix(8).enumerated().map { index, part in
            let halves = parts(of: part, dividedBy: [0x0a, 0x0a])
            let lines = (halves.first ?? []).split(separator: 0x0a, omittingEmptySubsequences: false)
            let headers = lines.dropFirst().map { line in
                let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
                return JournalRecord.Header(
                    name: String(decoding: line[..<colon], as: UTF8.self), value: Array(line[colon...].dropFirst(2)))
            }
            return JournalRecord(
                position: JournalPosition(partition: 0, offset: Int64(index)),
                key: lines.first.flatMap { $0.isEmpty ? nil : Array($0) }, headers: headers,
                value: Array(halves.dropFirst().joined(separator: [0x0a, 0x0a])))
        }
    }

    private static func parts(of bytes: ArraySlice<UInt8>, dividedBy mark: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, index) = (bytes.startIndex, bytes.startIndex)
        while index + mark.count <= bytes.endIndex {
            if bytes[index..<index + mark.count].elementsEqual(mark) {
                parts.append(bytes[start..<index])
                index += mark.count
                start = index
            } else {
                index += 1
            }
        }
        return parts + [bytes[start...]]
    }
}
