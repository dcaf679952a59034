import Contracts

/// One operation of whatever kind: created → submitting → pending or unknown → an end that never changes silently.
///
/// A value without clock, randomness or input and output: the driver brings the time, commits what a step changed and
/// then performs its actions. The rules of money are here and nowhere else.
public struct OperationMachine: Hashable, Sendable {
    public internal(set) var subject: Subject
    public internal(set) var state: OperationState
    let policy: ChargingPolicy

    /// An operation from its row.
    public init(_ subject: Subject, state: OperationState, policy: ChargingPolicy) {
        self.subject = subject
        self.state = state
        self.policy = policy
    }

    /// A new charge: accepted, or declined at once by us.
    ///
    /// - Parameter suspicion: when a database that was lost may have known it: then a query comes before anything else.
    static func begin(
        _ charge: Charge, at time: Timestamp, _ suspicion: Suspicion? = nil, policy: ChargingPolicy
    ) -> (Self, [Action]) {
        var machine = Self(.charge(charge), state: OperationState(phase: .created), policy: policy)
        var actions: [Action] = []
        guard let card = charge.card else {
            machine.decline(.unreadable, nil, &actions)
            return (machine, actions)
        }
        guard let route = charge.route, let reference = charge.reference, charge.amount.minorUnits > 0,
            charge.isOrderSigned || !policy.acquirersNamingNoOrder.contains(reference.acquirer),
            policy.supports(charge.kind, at: reference)
        else {
            machine.decline(.noRoute, nil, &actions)
            return (machine, actions)
        }
        let isSendable = charge.isSendable(at: time, under: policy)
        guard isSendable || suspicion != nil else {
            machine.decline(.expired, nil, &actions)
            return (machine, actions)
        }
        machine.state.holdsCard = isSendable && suspicion != .mayNotBeSentNow
        if suspicion != nil {
            machine.suspectForgottenSends(at: time)
        } else {
            machine.state.next = NextStep(.send, at: time)
        }
        machine.record(charge, .accepted(card, route, reference), &actions)
        return (machine, actions)
    }

    /// A refused charge. It is kept so that a second copy of its command is recognised.
    ///
    /// - Parameter suspectedAt: when it is asked whether a database that was lost had sent it after all; nil for never.
    static func refuse(
        _ charge: Charge, _ reason: RefusalReason, suspectedAt: Timestamp? = nil, policy: ChargingPolicy
    ) -> (Self, [Action]) {
        var machine = Self(.charge(charge), state: OperationState(phase: .refused), policy: policy)
        if let suspectedAt, charge.reference != nil {
            machine.state.isRecovered = true
            machine.state.next = NextStep(.query, at: suspectedAt)
        }
        var actions: [Action] = []
        machine.record(charge, .refused(reason), &actions)
        return (machine, actions)
    }

    /// When it is due: for its next step, to destroy its card data, or to publish that it is unknown.
    public var dueAt: Timestamp? {
        let cardEnd = state.holdsCard ? subject.sendingEnds(under: policy) : nil
        return [state.next?.time, cardEnd, unknownAt].compactMap(\.self).min()
    }

    /// Whether the step that is due at `time` would send, so that card data must be opened for it.
    public func wantsCard(at time: Timestamp) -> Bool {
        guard state.holdsCard, let next = state.next else { return false }
        return next.kind == .send && next.time <= time && subject.isSendable(at: time, under: policy)
    }

    /// Whether the step that is due at `time` would send, if its card data, where it needs them, can be opened.
    public func wantsToSend(at time: Timestamp) -> Bool {
        switch subject {
        case .charge: return wantsCard(at: time)
        case .followUp(let followUp):
            guard let next = state.next, next.kind == .send, next.time <= time else { return false }
            return subject.isSendable(at: time, under: policy)
                || (state.phase == .created && isSurelyUnsent && attemptsToAsk(at: time) == nil
                    && time < followUp.deadline(under: policy))
        }
    }

    /// Processes one input.
    ///
    /// - Parameter orderIsOpen: whether nothing has paid or closed the order; a success that comes too late for it is
    ///   owed back.
    public mutating func receive(_ input: OperationInput, at time: Timestamp, orderIsOpen: Bool = true) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .due(let card): due(card, at: time, &actions)
        case .held(let until): hold(until: until, at: time, &actions)
        case .sent(let attempt, let outcome):
            handle(of: attempt, outcome, at: time, orderIsOpen: orderIsOpen, &actions)
        case .queried(let outcome): handle(outcome, at: time, orderIsOpen: orderIsOpen, &actions)
        case .notified(let answer): handleNotification(answer, at: time, &actions)
        case .resolved(let resolution): resolve(resolution, at: time, orderIsOpen: orderIsOpen, &actions)
        case .settled(let row): handle(.answered(row), at: time, orderIsOpen: orderIsOpen, &actions)
        case .absentInFiles(let last): absentInFiles(last, at: time, &actions)
        }
        state.holdsCard = state.holdsCard && canStillSend(at: time)
        // Between a query that found nothing and the send that was planned then, the acquirer may have shown that it
        // has the transaction after all.
        if state.next?.kind == .send && state.phase.isOpen && state.phase != .created && !maySend(at: time) {
            planQuery(after: time)
        }
        recordUnknown(at: time, &actions)
        return actions
    }

    /// Whether any send may still follow, under its present key.
    func canStillSend(at time: Timestamp) -> Bool {
        guard subject.isSendable(at: time, under: policy), !state.isQueryOnly, state.lastSuspect ?? 0 == 0 else {
            return false
        }
        switch state.phase {
        case .created: return true
        case .submitting, .unknown:
            return !state.isKnownThere && state.possibleSends < policy.maximumSends(under: subject.reference)
        case .pending, .conflicted, .succeeded, .declined, .refused, .lateSuccess, .expired: return false
        }
    }

    /// The same, with what a send needs at hand.
    func maySend(at time: Timestamp) -> Bool { subject.charge == nil ? canStillSend(at: time) : state.holdsCard }

    /// Whether our own record, without a gap, says that nothing was sent under its key, and nobody says otherwise.
    var isSurelyUnsent: Bool { state.possibleSends == 0 && !state.isKnownThere && state.claimsPaid == nil }

    /// The keys under which it may have been sent. Files that lack it lack all of them.
    public var possibleKeys: [AcquirerReference] {
        guard let followUp = subject.followUp, let last = state.lastSuspect else {
            return [subject.reference].compactMap(\.self)
        }
        return (0...last).map { followUp.reference(of: $0) }
    }
}
