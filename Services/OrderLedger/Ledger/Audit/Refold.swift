import Contracts

/// Folds a partition again from its beginning, a page of records at a time, each with the code that made its row.
///
/// Memory is bounded: only orders with recent facts are held. An order that is dropped is added to the sums of digests
/// (``OrderSums``). When another fact of it comes, its earlier facts are read again and the sums are put back.
public struct Refold: Sendable {
    public private(set) var book: PartitionBook
    /// The dropped orders; after ``close()`` all.
    public private(set) var sums: OrderSums
    /// The facts that wait in dropped orders; after ``close()`` in all.
    public private(set) var waiting = WaitingFacts()
    /// The numbers of dropped orders and their payments; after ``close()`` of all.
    public private(set) var orders: Int64 = 0
    public private(set) var payments: Int64 = 0
    /// The held orders, and the page with the newest fact of each.
    private var held: [OrderID: Int64] = [:]
    private var page: Int64 = 0
    /// Whether an order that is not held may have earlier facts: only after an order was dropped.
    private var looksUp = false
    private let capacity: Int

    /// How many orders are held between two pages; about 1.5 KB each.
    public static let capacity = 50_000

    public init(partition: Int32, key: OrderSums.Key, capacity: Int = Refold.capacity) {
        book = PartitionBook(partition: partition)
        sums = OrderSums(key: key)
        self.capacity = capacity
    }

    /// The orders whose facts before a page must be read before ``fold(_:earlier:)``: only facts that were applied.
    ///
    /// - Parameter rows: how many rows the page has. When some of them are not folded, the stored orders may contain
    ///   more facts than the held ones, so from then on every order that is not held is read.
    public mutating func needs(_ records: [ReadRecord], rows: Int) -> [OrderID] {
        if rows != records.count { looksUp = true }
        guard looksUp else { return [] }
        return Set(records.compactMap { $0.fact?.fact.order }.filter { held[$0] == nil }).sorted()
    }

    /// Folds the next page of records, in the order of their offsets.
    ///
    /// - Parameter earlier: the facts that ``needs(_:rows:)`` asked for, in the order of offsets.
    /// - Returns: for each record its row; nil for a known duplicate.
    public mutating func fold(_ records: [ReadRecord], earlier: [ReadRecord]) -> [JournalRow?] {
        page += 1
        restore(earlier)
        let rows = records.map { record in
            if case .success(let event) = record.event { held[event.fact.order] = page }
            return book.append(record)
        }
        if held.count > capacity {
            // Half of them are dropped at once, those unchanged for longest, so that this is seldom done.
            let pages = held.values.sorted()
            drop(upTo: pages[pages.count / 2])
        }
        return rows
    }

    /// Drops the held orders after all records were folded.
    public mutating func close() { drop(upTo: page) }

    /// Whether a record of this offset can come next.
    public func canApply(_ position: JournalPosition) -> Bool {
        position.offset >= book.nextOffset && position.offset < .max
    }

    /// Holds dropped orders again.
    private mutating func restore(_ earlier: [ReadRecord]) {
        guard !earlier.isEmpty else { return }
        let restored = Fold(partition: book.partition, refolding: earlier)
        for (order, state) in restored.orders {
            held[order] = page
            book.fold[order] = restored[order]
            sums.replace(state, by: nil)
            waiting.replace(state, by: nil)
            orders -= state.isOrder ? 1 : 0
            payments -= Int64(state.payments.count)
        }
    }

    /// Drops the orders without a fact since a page.
    private mutating func drop(upTo last: Int64) {
        looksUp = true
        for (order, newest) in held where newest <= last {
            guard let state = book.fold[order]?.state else { continue }
            book.fold[order] = nil
            sums.replace(nil, by: state)
            waiting.replace(nil, by: state)
            orders += state.isOrder ? 1 : 0
            payments += Int64(state.payments.count)
        }
        held = held.filter { $0.value > last }
    }
}

extension Fold {
    /// The orders, built from facts that were applied to the books before.
    public init(partition: Int32, refolding records: [ReadRecord]) {
        self.init(partition: partition)
        for record in records {
            guard let event = record.fact else { continue }
            // Facts that were applied before are applied again; a changed row is found at its own position.
            _ = try? apply(event, by: record.code)
        }
    }
}
