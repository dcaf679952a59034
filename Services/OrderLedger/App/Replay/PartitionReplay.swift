import KafkaBridge
import Ledger

/// One partition being folded from the topic and compared batch by batch with what is stored.
actor PartitionReplay {
    private let reader: LedgerReader
    private var book: PartitionBook
    private var comparison = RowComparison()
    /// Below this offset everything was compared.
    private var next: Int64 = 0

    init(partition: Int32, reader: LedgerReader) {
        self.reader = reader
        book = PartitionBook(partition: partition)
    }

    /// Takes the next records of the topic.
    func take(_ records: [KafkaRecord]) async throws {
        guard let last = records.last else { return }
        let rows = records.compactMap { book.append(JournalRecord($0)) }
        comparison.records += Int64(records.count)
        comparison.take(rows, try await stored(below: last.offset + 1))
        next = last.offset + 1
    }

    /// The folded partition and what differed; rows behind the last record can come from no record.
    func finish() async throws -> (book: PartitionBook, comparison: RowComparison) {
        comparison.take([], try await stored(below: nil))
        return (book, comparison)
    }

    private func stored(below end: Int64?) async throws -> [StoredRow] {
        var rows: [StoredRow] = []
        while let page = try await page(from: rows.last.map { $0.position.offset + 1 } ?? next, below: end) {
            rows += page
        }
        return rows
    }

    private func page(from start: Int64, below end: Int64?) async throws -> [StoredRow]? {
        let rows = try await reader.rows(book.partition, from: start, below: end)
        return rows.isEmpty ? nil : rows
    }
}
