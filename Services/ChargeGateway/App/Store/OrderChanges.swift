import Charging
import Contracts
import OrchardPostgres
import Outbox

/// The writes of steps of several orders: one statement for each kind of change, whatever the number of orders.
struct OrderChanges {
    struct Order: Sendable {
        let partition: Int32
        let machine: OrderMachine
        let due: OrderDue?
    }

    struct Operation: Sendable {
        let partition: Int32
        let machine: OperationMachine
        /// The order of the commands within their order, from 0.
        var number = 0
        /// The trace that its command came with.
        var traceparent: String?
        /// What its command brought.
        var card: SealedCard?
        /// The route of a follow-up: its charge's.
        var route: RouteReference?
    }

    struct Answer: Sendable {
        let partition: Int32
        let order: OrderID
        let command: CommandID
    }

    private var newOrders: [Order] = []
    private var orders: [Order] = []
    private var newOperations: [Operation] = []
    private var operations: [Operation] = []
    private var adoptions: [Operation] = []
    private var newFollowUps: [Operation] = []
    private var followUps: [Operation] = []
    private var answers: [Answer] = []

    init(_ orders: [StoredOrder]) {
        for order in orders { add(order) }
    }

    /// In the order in which they must be performed: an operation ends before another of its order begins.
    var writes: [Write] {
        [
            Self.orderInsertion.write(newOrders), Self.orderUpdate.write(orders),
            Self.operationUpdate.write(operations), Self.operationInsertion.write(newOperations),
            Self.adoption.write(adoptions), Self.followUpUpdate.write(followUps),
            Self.followUpInsertion.write(newFollowUps), Self.answerInsertion.write(answers),
        ].compactMap(\.self)
    }

    private mutating func add(_ order: StoredOrder) {
        let (machine, saved) = (order.machine, order.saved)
        let row = Order(partition: order.partition, machine: machine, due: OrderDue(machine))
        if saved == nil {
            newOrders.append(row)
        } else if machine.closure != saved?.closure || machine.pendingExpiry != saved?.pendingExpiry
            || machine.followUps.isEmpty != saved?.followUps.isEmpty || row.due != saved.flatMap({ OrderDue($0) })
        {
            orders.append(row)
        }
        for (number, operation) in machine.operations.enumerated() {
            let arrival = order.arrivals[operation.subject.payment]
            let row = Operation(
                partition: order.partition, machine: operation, number: number,
                traceparent: order.traces[operation.subject.operation], card: arrival?.card)
            guard let before = saved?[operation.subject.operation] else {
                newOperations.append(row)
                continue
            }
            guard before != operation else { continue }
            operations.append(row)
            // The card data of a command that was read again, for an operation that the journal gave back without them.
            if operation.state.holdsCard, !before.state.holdsCard, row.card != nil { adoptions.append(row) }
        }
        for (number, followUp) in machine.followUps.enumerated() {
            let charge = machine.operations.first { $0.subject.payment == followUp.subject.payment }
            let row = Operation(
                partition: order.partition, machine: followUp, number: number,
                traceparent: order.traces[followUp.subject.operation], route: charge?.subject.charge?.route)
            let before = saved?[followUp.subject.operation]
            if before == nil { newFollowUps.append(row) } else if before != followUp { followUps.append(row) }
        }
        for command in machine.answeredCommands.dropFirst(saved?.answeredCommands.count ?? 0) {
            answers.append(Answer(partition: order.partition, order: machine.order, command: command))
        }
    }
}

/// When an order's machine does something by itself, and what and where.
struct OrderDue: Hashable, Sendable {
    let time: Timestamp
    let step: NextStep.Kind
    let reference: AcquirerReference?

    init?(_ machine: OrderMachine) {
        guard let (operation, time) = machine.nextDue else { return nil }
        self.time = time
        step = operation.state.next?.kind ?? .query
        reference = operation.subject.reference
    }
}
