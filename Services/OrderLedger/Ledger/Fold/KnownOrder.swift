import Contracts

/// An order in memory, with the events of it that were processed.
struct KnownOrder: Sendable {
    private struct Event {
        let id: EventID
        let digest: [UInt8]
    }

    var state: OrderState
    private var events: [Event] = []

    init(state: OrderState) {
        self.state = state
    }

    /// Whether nothing of it is known: no state, and no processed event. A damaged database can have events of an order
    /// whose rows are gone.
    var isEmpty: Bool { state.isEmpty && events.isEmpty }

    /// The digest of a processed event; nil for another one. An order has a few events: a list is faster than a table.
    subscript(event: EventID) -> [UInt8]? { events.first { $0.id == event }?.digest }

    /// Adds a processed event.
    mutating func add(_ event: JournalEvent) {
        events.append(Event(id: event.id, digest: event.digest))
    }
}
