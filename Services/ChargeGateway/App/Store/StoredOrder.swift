import Charging
import Contracts
import Outbox

/// An order between lock and save: its machine, what of it was in the database, and what its new operations bring.
struct StoredOrder: Sendable {
    let partition: Int32
    private(set) var machine: OrderMachine
    /// As it was loaded; nil when it has no row yet.
    let saved: OrderMachine?
    /// What new operations came with.
    private(set) var arrivals: [PaymentID: Arrival] = [:]
    /// The trace that each operation's command came with.
    private var traces: [PaymentID: String]

    struct Arrival: Sendable {
        let card: SealedCard?
        let traceparent: String?
    }

    /// An order that is heard of for the first time.
    init(order: OrderID, partition: Int32, policy: ChargingPolicy) {
        self.partition = partition
        machine = OrderMachine(order: order, policy: policy)
        saved = nil
        traces = [:]
    }

    init(partition: Int32, saved: OrderMachine, traces: [PaymentID: String]) {
        self.partition = partition
        machine = saved
        self.saved = saved
        self.traces = traces
    }

    mutating func receive(_ input: OrderInput, at time: Timestamp) -> [Action] {
        machine.receive(input, at: time)
    }

    /// Takes a command to charge; what came with it is kept if it begins an operation.
    mutating func receive(
        _ charge: Charge, isTokenUsed: Bool, mayHaveBeenSent: Bool = false, _ arrival: Arrival, at time: Timestamp
    ) -> [Action] {
        let before = machine
        let actions = machine.receive(
            .charge(charge, isTokenUsed: isTokenUsed, mayHaveBeenSent: mayHaveBeenSent), at: time)
        if machine != before {
            arrivals[charge.payment] = arrival
            traces[charge.payment] = arrival.traceparent
        }
        return actions
    }

    /// Whether its rows must be written.
    var hasChanged: Bool { machine != saved }

    /// Takes up a fact of the journal that the rows may not know.
    ///
    /// - Returns: alarms.
    mutating func restore(_ fact: Fact, of event: CloudEvent) -> [Action] {
        if case .payment(let payment) = fact, traces[payment.payment] == nil {
            traces[payment.payment] = event.traceparent
        }
        return machine.restore(fact, toldAt: event.time)
    }

    /// From here on each open charge may have been sent by a process whose intent is lost.
    mutating func suspectForgottenSends(at time: Timestamp) { machine.suspectForgottenSends(at: time) }

    /// The trace that the command of the action's payment came with.
    func traceparent(of action: Action) -> String? { action.payment.flatMap { traces[$0] } }

    /// The statements that bring the rows to the machine's state.
    var writes: [Write] {
        var writes: [Write] = []
        if saved == nil || machine.closure != saved?.closure || due != saved.flatMap(Self.due) {
            writes.append(orderRow)
        }
        for (number, operation) in machine.operations.enumerated() {
            let payment = operation.charge.payment
            let row = OperationRow(machine: operation, traceparent: traces[payment])
            guard let before = saved?[operation.charge.operation] else {
                writes.append(row.insertion(partition, number: number, arrivals[payment]?.card))
                continue
            }
            guard before != operation else { continue }
            writes.append(row.update(partition))
            if operation.state.holdsCard, !before.state.holdsCard, let card = arrivals[payment]?.card {
                writes.append(row.adoption(partition, card))
            }
        }
        for command in machine.answeredCommands.dropFirst(saved?.answeredCommands.count ?? 0) {
            writes.append(
                Write(
                    "INSERT INTO gateway.answered_commands (partition, order_id, command_id) VALUES ($1, $2, $3)",
                    [partition, machine.order.description, command.description]))
        }
        return writes
    }

    private struct Due: Equatable {
        let time: Timestamp
        let step: NextStep.Kind
        let reference: AcquirerReference?
    }

    private var due: Due? { Self.due(machine) }

    private static func due(_ machine: OrderMachine) -> Due? {
        machine.nextDue.flatMap { operation in
            operation.dueAt.map {
                Due(time: $0, step: operation.state.next?.kind ?? .query, reference: operation.charge.reference)
            }
        }
    }

    private var orderRow: Write {
        Write(
            saved == nil
                ? """
                INSERT INTO gateway.orders (partition, order_id, closed_reason, closed_payment, closed_command, due_at,
                    due_step, due_acquirer, due_account) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """
                : """
                UPDATE gateway.orders SET closed_reason = $3, closed_payment = $4, closed_command = $5, due_at = $6,
                    due_step = $7, due_acquirer = $8, due_account = $9 WHERE partition = $1 AND order_id = $2
                """,
            [
                partition, machine.order.description, machine.closure?.reason.rawValue,
                machine.closure?.payment?.description, machine.closure?.command?.description, due?.time.postgres,
                due?.step.rawValue, due?.reference?.acquirer, due?.reference?.account,
            ])
    }
}

extension Action {
    /// The payment that the action is about; nil when it is about the order alone.
    fileprivate var payment: PaymentID? {
        switch self {
        case .record(.payment(let fact)): fact.payment
        case .record: nil
        case .send(let charge, _), .query(let charge): charge.payment
        case .alarm(let alarm): alarm.payment
        }
    }
}
