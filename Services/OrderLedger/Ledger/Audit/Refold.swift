import Contracts

/// Folds a partition again from its beginning, a page of records at a time, each with the code that made its row.
///
/// Memory is bounded: only orders with recent facts are held. Other orders are dropped and remain in the sums of
/// digests (``OrderSums``). When another fact of a dropped order comes, its earlier facts are read again.
public struct Refold: Sendable {
    private struct Held {
        let state: OrderState
        let digests: [EventName: [UInt8]]
        let page: Int64
    }

    public private(set) var book: PartitionBook
    public private(set) var sums: OrderSums
    public private(set) var waiting = WaitingFacts()
    /// The numbers of orders and payments in the facts.
    public private(set) var orders: Int64 = 0
    public private(set) var payments: Int64 = 0
    private var held: [OrderID: Held] = [:]
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
        var touched: Set<OrderID> = []
        for case .success(let event) in records.lazy.map(\.event) { touched.insert(event.fact.order) }
        let restored = Fold(partition: book.partition, refolding: earlier)
        var digests = restored.digests
        digests.reserveCapacity(digests.count + 2 * records.count)
        var known: [OrderID: OrderState] = [:]
        for order in touched {
            known[order] = held[order]?.state ?? restored.orders[order]
            if let held = held[order] { digests.merge(held.digests) { first, _ in first } }
        }
        book.fold = Fold(partition: book.partition, orders: Array(known.values), digests: digests)
        let rows = records.map { book.append($0) }
        keep(touched, known, earlier + records)
        book.fold = Fold(partition: book.partition)
        return rows
    }

    /// Drops the held orders after all records were folded; sums and counts stay.
    public mutating func close() { held = [:] }

    /// Whether a record of this offset can come next.
    public func canApply(_ position: JournalPosition) -> Bool {
        position.offset >= book.nextOffset && position.offset < .max
    }

    /// Adds the page's changes to the sums, and holds the changed orders for the next pages.
    private mutating func keep(
        _ touched: Set<OrderID>, _ known: [OrderID: OrderState], _ records: [ReadRecord]
    ) {
        var names: [OrderID: Set<EventName>] = [:]
        for case .success(let event) in records.lazy.map(\.event) {
            names[event.fact.order, default: []].insert(event.name)
        }
        for order in touched {
            guard let state = book.fold.orders[order] else { continue }
            let old = known[order]
            sums.replace(old, by: state)
            waiting.replace(old, by: state)
            orders += old == nil ? 1 : 0
            payments += Int64(state.payments.count - (old?.payments.count ?? 0))
            var digests = held[order]?.digests ?? [:]
            for name in names[order] ?? [] { digests[name] = book.fold.digests[name] }
            held[order] = Held(state: state, digests: digests, page: page)
        }
        guard held.count > capacity else { return }
        looksUp = true
        // Half of them are dropped at once, those unchanged for longest, so that this is seldom done.
        let pages = held.values.map(\.page).sorted()
        let oldest = pages[pages.count / 2]
        held = held.filter { $0.value.page > oldest }
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
