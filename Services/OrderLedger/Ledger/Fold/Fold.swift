import Contracts

/// The orders of one partition, folded from the journal. Pure, so that live and replay give the same result.
///
/// Kafka keeps the sequence of each producer only. A fact that comes before a fact that it needs is parked in its
/// order, and is applied as soon as that fact comes, or with the order's next facts when more than ``mostReleased`` wait.
/// So any mixture of the producers' streams gives the same orders and books.
public struct Fold: Sendable {
    /// The result of a fact.
    public struct Result: Hashable, Sendable {
        /// Whether the fact was applied.
        public enum Disposition: Hashable, Sendable {
            case applied, parked, duplicate
        }

        public let disposition: Disposition
        /// What the fact posted, itself or through parked facts that it released.
        public let entries: [Entry]
        /// Parked facts that were released and contradict what is known.
        public let faults: [JournalFault]
    }

    public let partition: Int32
    /// The orders in memory; live, only those that a batch touches.
    private var known: [OrderID: KnownOrder] = [:]

    /// - Parameter events: the events processed so far; live, only those whose identifiers a batch repeats.
    public init(partition: Int32, orders: [OrderState] = [], events: [JournalEvent] = []) {
        self.partition = partition
        for order in orders { known[order.id] = KnownOrder(state: order) }
        for event in events {
            known[event.fact.order, default: KnownOrder(state: OrderState(id: event.fact.order))].add(event)
        }
    }

    /// The states of all orders in memory: a new table each time.
    public var orders: [OrderID: OrderState] { known.mapValues(\.state).filter { !$0.value.isEmpty } }

    /// The state of one order in memory; nil when no fact of it is known.
    public func state(of order: OrderID) -> OrderState? {
        known[order].flatMap { $0.state.isEmpty ? nil : $0.state }
    }

    /// The order in memory, with the events that were processed.
    subscript(order: OrderID) -> KnownOrder? {
        get { known[order] }
        set { known[order] = newValue }
    }

    /// Processes a fact.
    ///
    /// - Parameter code: the code that folds and posts it; the newest for new rows.
    /// - Throws: ``FoldError`` when the fact contradicts what is known; then nothing has changed.
    public mutating func apply(
        _ event: JournalEvent, by code: VersionedCode = VersionRegistry.known.newest
    ) throws(FoldError) -> Result {
        let id = event.fact.order
        do throws(FoldError) {
            // Changed in its place: a copy of an order costs more than most facts.
            return try Self.apply(
                event, to: &known[id, default: KnownOrder(state: OrderState(id: id))], partition, code)
        } catch {
            if known[id]?.isEmpty ?? false { known[id] = nil }
            throw error
        }
    }

    private static func apply(
        _ event: JournalEvent, to order: inout KnownOrder, _ partition: Int32, _ code: VersionedCode
    ) throws(FoldError) -> Result {
        if let digest = order[event.id] {
            guard digest == event.digest else {
                throw FoldError(.conflictingDuplicate, "an event of this name is known and told something else")
            }
            return Result(disposition: .duplicate, entries: [], faults: [])
        }
        try check(partition, of: event.fact)
        let result: Result
        if code.reader.isEarly(order.state, event.fact) {
            order.state.parked.append(event)
            result = Result(disposition: .parked, entries: [], faults: [])
        } else {
            result = try settle(event, in: &order.state, by: code)
        }
        order.add(event)
        return result
    }

    /// How many parked facts one fact releases at most; the order's next facts release the others. No gateway tells so
    /// many, and the entries of one record are numbered in 16 bits.
    static let mostReleased = 5_000

    /// Applies the fact, then the parked facts that it releases.
    private static func settle(
        _ event: JournalEvent, in order: inout OrderState, by code: VersionedCode
    ) throws(FoldError) -> Result {
        let reader = code.reader
        var bookings = try reader.apply(&order, event).map { (event, $0) }
        var faults: [JournalFault] = []
        var count = 0
        while count < mostReleased,
            let index = order.parked.firstIndex(where: { !reader.isEarly(order, $0.fact) })
        {
            let released = order.parked.remove(at: index)
            count += 1
            do throws(FoldError) {
                bookings += try reader.apply(&order, released).map { (released, $0) }
            } catch {
                faults.append(
                    JournalFault(
                        source: released.position, subject: FaultSubject(released.fact), code: error.code.rawValue,
                        reason: error.reason))
            }
        }
        let entries = bookings.enumerated().map { index, pair in
            Entry(pair.1, of: pair.0, at: event.position, index: Int16(index), by: code)
        }
        return Result(disposition: .applied, entries: entries, faults: faults)
    }

    private static func check(_ partition: Int32, of fact: Fact) throws(FoldError) {
        guard case .orderOpened(let offer) = fact else { return }
        guard Partitioner.partition(of: offer.order, among: offer.partitions) == partition else {
            throw FoldError(.wrongPartition, "the order's partition is not the record's")
        }
    }
}

extension Entry {
    /// The entry that a fact's booking makes.
    fileprivate init(
        _ booking: Booking, of event: JournalEvent, at position: JournalPosition, index: Int16, by code: VersionedCode
    ) {
        self.init(
            position: position, index: index, kind: booking.kind, cause: event.id, time: event.event.time,
            order: event.fact.order, payment: booking.payment, merchant: event.fact.merchant,
            rules: code.versions.rules, currency: booking.movement.amount.currency,
            postings: code.rules.postings(booking.movement))
    }
}
