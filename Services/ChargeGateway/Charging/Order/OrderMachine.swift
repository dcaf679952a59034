import Contracts

/// One order: at most one live charge, and nothing after it is closed.
public struct OrderMachine: Hashable, Sendable {
    public let order: OrderID
    public internal(set) var closure: OrderClosure?
    /// In the order of their commands.
    public internal(set) var operations: [OperationMachine]
    /// The shop's commands that have had their answer.
    public internal(set) var answeredCommands: [CommandID]
    /// The command that closes the order as expired when its live charge ends unpaid.
    public internal(set) var pendingExpiry: CommandID?
    let policy: ChargingPolicy

    /// An order that nobody has heard of yet, or one as its rows have it.
    public init(
        order: OrderID, closure: OrderClosure? = nil, operations: [OperationMachine] = [],
        answeredCommands: [CommandID] = [], pendingExpiry: CommandID? = nil, policy: ChargingPolicy
    ) {
        self.order = order
        self.closure = closure
        self.operations = operations
        self.answeredCommands = answeredCommands
        self.pendingExpiry = pendingExpiry
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
        case .charge(let charge, let isTokenUsed, let mayHaveBeenSent):
            begin(charge, isTokenUsed: isTokenUsed, mayHaveBeenSent: mayHaveBeenSent, at: time)
        case .close(let command): close(command)
        case .operation(let id, let input): step(id, input, at: time)
        }
    }

    private mutating func begin(
        _ charge: Charge, isTokenUsed: Bool, mayHaveBeenSent: Bool, at time: Timestamp
    ) -> [Action] {
        precondition(charge.order == order, "a charge is taken to its own order")
        // The first copy of a command wins, whatever the bytes of the others.
        if let index = operations.firstIndex(where: { $0.charge.operation == charge.operation }) {
            if closure == nil { _ = operations[index].adopt(charge, at: time) }
            return []
        }
        let suspicion: OperationMachine.Suspicion? =
            // Beside a live charge nothing is sent; but if it was sent, the order must wait for its outcome as well.
            mayHaveBeenSent ? (refusal == .orderBusy ? .mayNotBeSentNow : .mayBeSentNow) : nil
        let reason = refusal ?? (isTokenUsed ? .tokenReused : nil)
        let (operation, actions) =
            if let reason, reason != .orderBusy || suspicion == nil || charge.reference == nil || charge.card == nil {
                OperationMachine.refuse(
                    charge, reason, suspectedAt: mayHaveBeenSent ? time : nil, policy: policy)
            } else {
                OperationMachine.begin(charge, at: time, suspicion, policy: policy)
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

    private mutating func close(_ command: CloseRequested) -> [Action] {
        guard !answeredCommands.contains(command.command) else { return [] }
        answeredCommands.append(command.command)
        switch command.reason {
        case .cancelled: return cancel(command)
        case .expired:
            // Nobody waits for an answer: what closed the order before is known.
            guard closure == nil else { return [] }
            pendingExpiry = command.command
            return expire(command.merchant)
        }
    }

    /// Closes the order if it has expired and nothing is in progress.
    private mutating func expire(_ merchant: MerchantID) -> [Action] {
        guard let command = pendingExpiry, closure == nil, !hasLiveOperation else { return [] }
        closure = OrderClosure(reason: .expired, command: command)
        return [
            .record(.orderClosed(OrderClosed(order: order, merchant: merchant, reason: .expired, command: command)))
        ]
    }

    private mutating func cancel(_ command: CloseRequested) -> [Action] {
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
                            commandType: CommandType.cancel.rawValue, reason: rejection)))
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
        // After a recovery several charges of an order may turn out to be live: then none is sent again.
        if closure != nil || operations.contains(where: { $0.charge.operation != id && $0.state.phase.isLive }) {
            operations[index].giveUpSending(at: time)
        }
        var actions = operations[index].receive(input, at: time, orderIsOpen: closure == nil)
        if closure == nil && operations[index].state.phase == .succeeded {
            closure = OrderClosure(reason: .paid, payment: operations[index].charge.payment)
        }
        actions += expire(operations[index].charge.merchant)
        return actions
    }
}

/// An input of an order.
public enum OrderInput: Hashable, Sendable {
    /// A command to charge it, its ticket verified; `isTokenUsed` tells whether its token is known to charge another
    /// order, `mayHaveBeenSent` whether a database that was lost may have taken the command before.
    case charge(Charge, isTokenUsed: Bool = false, mayHaveBeenSent: Bool = false)
    /// A command to close it unpaid.
    case close(CloseRequested)
    /// Something about one of its operations.
    case operation(OperationID, OperationInput)
}
