import Contracts

/// An order in memory, with the events of it that were processed.
struct KnownOrder: Sendable {
    private struct Event {
        let id: EventID
        let digest: [UInt8]
    }

    var state: OrderState
    private var events: [Event] = []
    /// The same by name, once there are many: a settled day can have any number.
    private var digests: [EventID: [UInt8]] = [:]
    private static let few = 32

    init(state: OrderState) {
        self.state = state
    }

    /// Whether nothing of it is known: no state, and no processed event. A damaged database can have events of an order
    /// whose rows are gone.
    var isEmpty: Bool { state.isEmpty && events.isEmpty }

    /// The digest of a processed event; nil for another one. An order has a few events: a list is faster than a table.
    subscript(event: EventID) -> [UInt8]? {
        digests.isEmpty ? events.first { $0.id == event }?.digest : digests[event]
    }

    /// Adds a processed event.
    mutating func add(_ event: JournalEvent) {
        let event = Event(id: event.id, digest: event.digest)
        if events.count < Self.few { return events.append(event) }
        if digests.isEmpty { digests = Dictionary(events.map { ($0.id, $0.digest) }) { first, _ in first } }
        digests[event.id] = event.digest
    }
}
