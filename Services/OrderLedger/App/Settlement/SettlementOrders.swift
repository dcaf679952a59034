import Contracts

/// The orders with a transaction of a settled day, each once, in the order of partition and name, a page at a time.
///
/// Those without the acquirer's own date are held: 24 bytes an order, and with most acquirers few. The others are read
/// as they are asked for.
struct SettlementOrders {
    typealias Place = (partition: Int32, order: OrderID)

    private let reader: SettlementReader
    /// In order, as those with a date.
    private var withoutDate: ArraySlice<Place>
    /// The rest of the page that was read last.
    private var withDate: ArraySlice<Place> = []
    private var lastWithDate: Place?
    private var areAllRead = false

    init(_ reader: SettlementReader) async throws {
        self.reader = reader
        withoutDate = try await reader.ordersWithoutDate()[...]
    }

    /// The next orders; nil at the end.
    mutating func page() async throws -> [Place]? {
        var page: [Place] = []
        while page.count < Int(SettlementReader.page), let next = try await next() { page.append(next) }
        return page.isEmpty ? nil : page
    }

    private mutating func next() async throws -> Place? {
        if withDate.isEmpty, !areAllRead { try await read() }
        let next: Place
        switch (withDate.first, withoutDate.first) {
        case (let dated?, let other?):
            next = (dated.partition, dated.order) < (other.partition, other.order) ? dated : other
        case (let dated?, nil): next = dated
        case (nil, let other?): next = other
        case (nil, nil): return nil
        }
        if let first = withDate.first, first == next { withDate.removeFirst() }
        while let first = withoutDate.first, first == next { withoutDate.removeFirst() }
        return next
    }

    private mutating func read() async throws {
        withDate = try await reader.ordersWithDate(behind: lastWithDate)[...]
        lastWithDate = withDate.last
        areAllRead = withDate.count < Int(SettlementReader.page)
    }
}
