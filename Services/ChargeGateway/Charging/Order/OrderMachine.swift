import Contracts

/// One order: at most one live charge, and nothing after it is closed.
public struct OrderMachine: Hashable, Sendable {
    public let order: OrderID
    public private(set) var closure: OrderClosure?
    /// In the order of their commands.
    public private(set) var operations: [OperationMachine]
    /// The shop's commands that have had their answer.
    public private(set) var answeredCommands: [CommandID]
    let policy: ChargingPolicy

    /// An order that nobody has heard of yet, or one as its rows have it.
    public init(
        order: OrderID, closure: OrderClosure? = nil, operations: [OperationMachine] = [],
        answeredCommands: [CommandID] = [], policy: ChargingPolicy
    ) {
        self.order = order
        self.closure = closure
        self.operations = operations
        self.answeredCommands = answeredCommands
        self.policy = policy
    }

    /// The operation that wants to be woken first.
    public var nextDue: OperationMachine? {
        var first: OperationMachine?
        for operation in operations {
            guard let due = operation.dueAt else { continue }
            if let earliest = first?.dueAt, earliest <= due { continue }
            first = operation
        }
        return first
    }

    public subscript(id: OperationID) -> OperationMachine? {
        operations.first { $0.charge.operation == id }
    }

    /// Takes one input; no action and no change when it is known already.
    public mutating func receive(_ input: OrderInput, at time: Timestamp) -> [Action] {
        switch input {
        case .charge(let charge, let isTokenUsed): begin(charge, isTokenUsed: isTokenUsed, at: time)
        case .cancel(let command): cancel(command)
        case .operation(let id, let input): step(id, input, at: time)
        }
    }

    private mutating func begin(_ charge: Charge, isTokenUsed: Bool, at time: Timestamp) -> [Action] {
        precondition(charge.order == order, "a charge is taken to its own order")
        // The first copy of a command wins, whatever the bytes of the others.
        guard self[charge.operation] == nil else { return [] }
        let (operation, actions) =
            if let reason = refusal ?? (isTokenUsed ? .tokenReused : nil) {
                OperationMachine.refuse(charge, reason, policy: policy)
            } else {
                OperationMachine.begin(charge, at: time, policy: policy)
            }
        operations.append(operation)
        return actions
    }

    private var refusal: RefusalReason? {
        switch closure?.reason {
        case .paid: .orderPaid
        case .cancelled, .expired: .orderClosed
        case nil: hasLiveOperation ? .orderBusy : nil
        }
    }

    private var hasLiveOperation: Bool { operations.contains { $0.state.phase.isLive } }

    private mutating func cancel(_ command: CancelRequested) -> [Action] {
        guard !answeredCommands.contains(command.command) else { return [] }
        answeredCommands.append(command.command)
        let rejection: CommandRejected.Reason? =
            switch closure?.reason {
            case .paid: .orderPaid
            case .cancelled, .expired: .orderClosed
            case nil: hasLiveOperation ? .chargeInProgress : nil
            }
        if let rejection {
            return [
                .record(
                    .commandRejected(
                        CommandRejected(
                            order: order, merchant: command.merchant, command: command.command,
                            commandType: CancelRequested.type, reason: rejection)))
            ]
        }
        closure = OrderClosure(reason: .cancelled, command: command.command)
        return [
            .record(
                .orderClosed(
                    OrderClosed(
                        order: order, merchant: command.merchant, reason: .cancelled, command: command.command)))
        ]
    }

    private mutating func step(_ id: OperationID, _ input: OperationInput, at time: Timestamp) -> [Action] {
        guard let index = operations.firstIndex(where: { $0.charge.operation == id }) else { return [] }
        let actions = operations[index].receive(input, at: time, orderIsOpen: closure == nil)
        if closure == nil && operations[index].state.phase == .succeeded {
            closure = OrderClosure(reason: .paid, payment: operations[index].charge.payment)
        }
        return actions
    }
}
