import KafkaBridge
import Ledger

/// One partition being folded from the topic and compared batch by batch with what is stored.
actor PartitionReplay {
    private let reader: LedgerReader
    private var book: PartitionBook
    private var comparison = RowComparison()
    /// What was not compared yet; nil at the end of all offsets.
    private var offsets: ClosedRange<Int64>? = .min ... .max

    init(partition: Int32, reader: LedgerReader) {
        self.reader = reader
        book = PartitionBook(partition: partition)
    }

    /// Takes the next records of the topic.
    func take(_ records: [KafkaRecord]) async throws {
        guard let last = records.last else { return }
        let rows = records.compactMap { book.append(JournalRecord($0)) }
        comparison.records += Int64(records.count)
        comparison.take(rows, try await stored(upTo: last.offset))
    }

    /// The folded partition and what differed; rows behind the last record can come from no record.
    func finish() async throws -> (book: PartitionBook, comparison: RowComparison) {
        comparison.take([], try await stored(upTo: .max))
        return (book, comparison)
    }

    /// The stored rows that were not compared yet, up to and with an offset.
    private func stored(upTo last: Int64) async throws -> [StoredRow] {
        var rows: [StoredRow] = []
        var rest = offsets.map { $0.lowerBound...max(last, $0.lowerBound) }
        while let range = rest {
            let page = try await reader.rows(book.partition, in: range)
            rows += page
            rest = range.rest(behind: page)
        }
        offsets = last < .max ? last + 1 ... .max : nil
        return rows
    }
}
