import KafkaBridge
import Ledger

/// Folds one partition from the topic and compares it, batch by batch, with the stored rows.
actor PartitionReplay {
    private let reader: LedgerReader
    private let start: AuditStart.Partition
    private let registry = VersionRegistry.known
    private var refold: Refold
    private var comparison = RowComparison()
    /// The code version of the newest row that was read.
    private var versions: RowVersions?
    /// The offsets that were not compared yet; nil after the last one.
    private var offsets: ClosedRange<Int64>?

    init(_ start: AuditStart.Partition, key: OrderSums.Key, capacity: Int, reader: LedgerReader) {
        self.reader = reader
        self.start = start
        refold = Refold(partition: start.number, key: key, capacity: capacity)
        offsets = .min...start.last
    }

    /// Processes the next records of the topic, each by the code that made its row. A record without a row, such as a
    /// known duplicate, is read by the code of the row before.
    ///
    /// An order that is no longer in memory is folded again from its stored facts. These were compared with the topic
    /// before, so a difference is a finding already.
    func process(_ records: [KafkaRecord]) async throws {
        guard let first = records.first, let last = records.last else { return }
        let stored = try await stored(upTo: last.offset)
        var next = stored.startIndex
        let read = records.map { record in
            while next < stored.endIndex, stored[next].position.offset < record.offset { next += 1 }
            if next < stored.endIndex, stored[next].position.offset == record.offset {
                versions = stored[next].versions
            }
            return ReadRecord(
                JournalRecord(record), by: versions.flatMap { registry[$0] } ?? registry.newest)
        }
        let needs = refold.needs(read, rows: stored.count)
        let earlier = try await reader.facts(start.number, of: needs, below: first.offset)
        comparison.add(refold.fold(read, earlier: earlier), stored)
    }

    /// The result of the replay of a partition.
    struct Result: Sendable {
        let start: AuditStart.Partition
        let book: PartitionBook
        let waiting: WaitingFacts
        let comparison: RowComparison
        let orders: OrderComparison
    }

    /// Compares the orders, and the rows behind the last record, which have no record.
    func finish() async throws -> Result {
        comparison.add([], try await stored(upTo: start.last))
        comparison.add(strays: start.strays)
        refold.close()
        var orders = OrderComparison(partition: start.number)
        try await orders.compare(refold, start, reader)
        return Result(
            start: start, book: refold.book, waiting: refold.waiting, comparison: comparison, orders: orders)
    }

    /// The stored rows that were not compared yet, up to and including an offset.
    private func stored(upTo last: Int64) async throws -> [StoredRow] {
        var rows: [StoredRow] = []
        var rest = offsets.flatMap { $0.lowerBound > last ? nil : $0.lowerBound...last }
        while let range = rest {
            let page = try await reader.page(start.number, range)
            rows += page.rows
            rest = page.rest
        }
        if let lower = offsets?.lowerBound, lower <= last {
            offsets = last < start.last ? last + 1...start.last : nil
        }
        return rows
    }
}
