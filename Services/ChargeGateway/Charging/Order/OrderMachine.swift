import Contracts

/// One order: at most one live charge, and none after it is closed; what follows a charge never takes or gives back more than
/// it may.
public struct OrderMachine: Hashable, Sendable {
    public let order: OrderID
    public internal(set) var closure: OrderClosure?
    /// Its charges, in the order of their commands.
    public internal(set) var operations: [OperationMachine]
    /// Captures, voids and refunds of its charges, in the order of their causes.
    public internal(set) var followUps: [OperationMachine]
    /// The shop's commands that have had their answer.
    public internal(set) var answeredCommands: [CommandID]
    /// The command that closes the order as expired when its live charge ends unpaid.
    public internal(set) var pendingExpiry: CommandID?
    let policy: ChargingPolicy

    /// An order that nobody has heard of yet, or one as its rows have it.
    public init(
        order: OrderID, closure: OrderClosure? = nil, operations: [OperationMachine] = [],
        followUps: [OperationMachine] = [], answeredCommands: [CommandID] = [], pendingExpiry: CommandID? = nil,
        policy: ChargingPolicy
    ) {
        self.order = order
        self.closure = closure
        self.operations = operations
        self.followUps = followUps
        self.answeredCommands = answeredCommands
        self.pendingExpiry = pendingExpiry
        self.policy = policy
    }

    /// The operation that wants to be woken first, and when.
    public var nextDue: (operation: OperationMachine, time: Timestamp)? {
        var first: (operation: OperationMachine, time: Timestamp)?
        for operation in operations + followUps {
            guard let due = dueAt(operation) else { continue }
            if let earliest = first?.time, earliest <= due { continue }
            first = (operation, due)
        }
        return first
    }

    private func dueAt(_ operation: OperationMachine) -> Timestamp? {
        [operation.dueAt, holdEnd(of: operation)].compactMap(\.self).min()
    }

    /// When the hold of an authorisation ends by itself; nil when it does not.
    func holdEnd(of operation: OperationMachine) -> Timestamp? {
        guard operation.subject.kind == .authorisation else { return nil }
        return PaymentBalance(operation, followUps: followUps)?.holdEnd(under: policy)
    }

    /// When what a fact tells happened: a hold ends at its own time, whenever that is noticed.
    public func time(of fact: Fact) -> Timestamp? {
        guard case .payment(let payment) = fact, case .authorisationExpired = payment.event,
            let reference = self[payment.operation]?.subject.reference
        else { return nil }
        return reference.time + policy.holdLife
    }

    public subscript(id: OperationID) -> OperationMachine? {
        operations.first { $0.subject.operation == id } ?? followUps.first { $0.subject.operation == id }
    }

    /// Takes one input; no action and no change when it is known already.
    public mutating func receive(_ input: OrderInput, at time: Timestamp) -> [Action] {
        switch input {
        case .charge(let charge, let isTokenUsed, let mayHaveBeenSent):
            begin(charge, isTokenUsed: isTokenUsed, mayHaveBeenSent: mayHaveBeenSent, at: time)
        case .close(let command): close(command)
        case .followUp(let command, let hasRoute, let mayHaveBeenSent):
            follow(command, hasRoute: hasRoute, mayHaveBeenSent: mayHaveBeenSent, at: time)
        case .operation(let id, let input): step(id, input, at: time)
        }
    }

    private mutating func begin(
        _ charge: Charge, isTokenUsed: Bool, mayHaveBeenSent: Bool, at time: Timestamp
    ) -> [Action] {
        precondition(charge.order == order, "a charge is taken to its own order")
        // The first copy of a command wins, whatever the bytes of the others.
        if let index = operations.firstIndex(where: { $0.subject.operation == charge.operation }) {
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

    var hasLiveOperation: Bool { operations.contains { $0.state.phase.isLive } }

    private mutating func step(_ id: OperationID, _ input: OperationInput, at time: Timestamp) -> [Action] {
        guard let index = operations.firstIndex(where: { $0.subject.operation == id }) else {
            return stepFollowUp(id, input, at: time)
        }
        let before = operations[index].state
        // After a recovery several charges of an order may turn out to be live: then none is sent again.
        if closure != nil || operations.contains(where: { $0.subject.operation != id && $0.state.phase.isLive }) {
            operations[index].giveUpSending(at: time)
        }
        var actions = operations[index].receive(input, at: time, orderIsOpen: closure == nil)
        if closure == nil && operations[index].state.phase == .succeeded {
            closure = OrderClosure(reason: .paid, payment: operations[index].subject.payment)
        }
        actions += expire(operations[index].subject.merchant)
        if case .due = input, let end = holdEnd(of: operations[index]), end <= time {
            operations[index].expireHold(&actions)
        }
        if case .resolved = input { return actions }
        // A recovery asks again for a late success, once: what it was owed may be lost as well. A person's word plans nothing.
        if before.phase != .lateSuccess || (before.isRecovered && before.next != nil) {
            actions += returnLateSuccess(of: index, at: time)
        }
        return actions
    }

    private mutating func stepFollowUp(_ id: OperationID, _ input: OperationInput, at time: Timestamp) -> [Action] {
        guard let index = followUps.firstIndex(where: { $0.subject.operation == id }) else { return [] }
        let before = followUps[index].state
        let actions = followUps[index].receive(input, at: time)
        if before.phase == .declined, followUps[index].state.phase == .succeeded {
            giveUpReturns(after: index, at: time)
        }
        // A recovery asks again for a failed void: what followed it may be lost as well.
        return before.phase == .declined && !before.isRecovered
            ? actions : actions + followFailure(of: index, from: before.phase, at: time)
    }
}
