import Charging
import Contracts
import OrchardServiceKit
import Outbox

/// An order between lock and save: its machine, its saved state, and what its new operations brought.
struct StoredOrder: Sendable {
    let partition: Int32
    private(set) var machine: OrderMachine
    /// As it was loaded; nil when it has no row yet.
    let saved: OrderMachine?
    /// What new operations came with.
    private(set) var arrivals: [PaymentID: Arrival] = [:]
    /// The trace that each operation's command came with.
    private(set) var traces: [OperationID: String]
    /// The sealed card data in its rows; nil when they were not read.
    private let cards: [PaymentID: SealedCard]?

    struct Arrival: Sendable {
        let card: SealedCard?
        let traceparent: String?
    }

    /// A new order.
    init(order: OrderID, partition: Int32, policy: ChargingPolicy) {
        self.partition = partition
        machine = OrderMachine(order: order, policy: policy)
        saved = nil
        traces = [:]
        cards = [:]
    }

    init(
        partition: Int32, saved: OrderMachine, traces: [OperationID: String], cards: [PaymentID: SealedCard]? = nil
    ) {
        self.partition = partition
        machine = saved
        self.saved = saved
        self.traces = traces
        self.cards = cards
    }

    mutating func receive(_ input: OrderInput, at time: Timestamp) -> [Action] {
        machine.receive(input, at: time)
    }

    /// Receives a command to charge. What came with it is kept if it begins an operation.
    mutating func receive(
        _ charge: Charge, isTokenUsed: Bool, mayHaveBeenSent: Bool = false, _ arrival: Arrival, at time: Timestamp
    ) -> [Action] {
        let before = machine
        let actions = machine.receive(
            .charge(charge, isTokenUsed: isTokenUsed, mayHaveBeenSent: mayHaveBeenSent), at: time)
        if machine != before {
            arrivals[charge.payment] = arrival
            traces[charge.operation] = arrival.traceparent
        }
        return actions
    }

    /// Receives a command to capture, void or refund.
    ///
    /// - Parameter traceparent: the trace that it came with; what it begins keeps it.
    mutating func receive(
        _ command: FollowUpRequested, hasRoute: Bool, mayHaveBeenSent: Bool, traceparent: String?, at time: Timestamp
    ) -> [Action] {
        let known = machine.followUps.count
        let actions = machine.receive(
            .followUp(command, hasRoute: hasRoute, mayHaveBeenSent: mayHaveBeenSent), at: time)
        for operation in machine.followUps.dropFirst(known) { traces[operation.subject.operation] = traceparent }
        return actions
    }

    /// Whether its rows must be written.
    var hasChanged: Bool { machine != saved }

    /// What is due at an acquirer next.
    var due: DueTime? {
        guard let due = OrderDue(machine), let reference = due.reference else { return nil }
        let order = DueOrder(
            order: machine.order, partition: partition, step: due.step, acquirer: reference.acquirer,
            account: reference.account)
        return DueTime(order: order, time: due.time)
    }

    /// What is due there at `time`.
    func due(at time: Timestamp) -> DueOrder? {
        due.flatMap { $0.time <= time ? $0.order : nil }
    }

    /// The sealed card data of a payment, as they lie in its row or came just now; nil when they are gone.
    func sealedCard(of payment: PaymentID) -> SealedCard? { cards?[payment] ?? arrivals[payment]?.card }

    /// Whether ``sealedCard(of:)`` is reliable: the row was read, or the command brought the card data.
    func knowsCard(of payment: PaymentID) -> Bool { cards != nil || arrivals[payment]?.card != nil }

    /// Takes up a fact of the journal that the rows may not know.
    ///
    /// - Returns: alarms.
    mutating func restore(_ fact: Fact, of event: CloudEvent) -> [Action] {
        let operation: OperationID? =
            switch fact {
            case .payment(let payment): payment.operation
            case .followUp(let followUp): followUp.operation
            default: nil
            }
        if let operation, traces[operation] == nil {
            traces[operation] = event.traceparent.flatMap { TraceContext(traceparent: $0) }?.traceparent
        }
        return machine.restore(fact, toldAt: event.time)
    }

    /// Marks each open charge: a process whose intent is lost may have sent it.
    mutating func suspectForgottenSends(at time: Timestamp) { machine.suspectForgottenSends(at: time) }

    /// The trace that the command of the action's operation came with; where none did, that of its charge.
    func traceparent(of action: Action) -> String? {
        guard let operation = action.operation else { return nil }
        if let trace = traces[operation] { return trace }
        let payment = machine[operation]?.subject.payment
        return payment.flatMap { traces[OperationID(chargeOf: $0, order: machine.order)] }
    }
}

extension Action {
    /// The operation that the action is about; nil when it is about the order alone.
    fileprivate var operation: OperationID? {
        switch self {
        case .record(.payment(let fact)): fact.operation
        case .record(.followUp(let fact)): fact.operation
        case .record: nil
        case .send(let subject, _), .query(let subject): subject.operation
        case .alarm(let alarm): alarm.charge
        }
    }
}
