import Contracts

/// One sale: created → submitting → pending or unknown → an end that never changes silently.
///
/// A value without clock, randomness or input and output: the driver brings the time, commits what a step changed and
/// then performs its actions. The rules of money are here and nowhere else.
public struct OperationMachine: Hashable, Sendable {
    public internal(set) var charge: Charge
    public internal(set) var state: OperationState
    let policy: ChargingPolicy

    /// An operation from its row.
    public init(charge: Charge, state: OperationState, policy: ChargingPolicy) {
        self.charge = charge
        self.state = state
        self.policy = policy
    }

    /// A new operation: accepted, or declined at once by us.
    ///
    /// - Parameter suspicion: when a database that was lost may have known it: then a query comes before anything else.
    static func begin(
        _ charge: Charge, at time: Timestamp, _ suspicion: Suspicion? = nil, policy: ChargingPolicy
    ) -> (Self, [Action]) {
        var machine = Self(charge: charge, state: OperationState(phase: .created), policy: policy)
        var actions: [Action] = []
        guard let card = charge.card else {
            machine.decline(.unreadable, nil, &actions)
            return (machine, actions)
        }
        guard let route = charge.route, let reference = charge.reference, charge.amount.minorUnits > 0,
            charge.isOrderSigned || !policy.acquirersNamingNoOrder.contains(reference.acquirer)
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
        machine.record(.accepted(card, route, reference), &actions)
        return (machine, actions)
    }

    /// A refused charge. It is kept so that a second copy of its command is recognised.
    ///
    /// - Parameter suspectedAt: when it is asked whether a database that was lost had sent it after all; nil for never.
    static func refuse(
        _ charge: Charge, _ reason: RefusalReason, suspectedAt: Timestamp? = nil, policy: ChargingPolicy
    ) -> (Self, [Action]) {
        var machine = Self(charge: charge, state: OperationState(phase: .refused), policy: policy)
        if let suspectedAt, charge.reference != nil {
            machine.state.isRecovered = true
            machine.state.next = NextStep(.query, at: suspectedAt)
        }
        var actions: [Action] = []
        machine.record(.refused(reason), &actions)
        return (machine, actions)
    }

    /// When it is due: for its next step, to destroy its card data, or to publish that it is unknown.
    public var dueAt: Timestamp? {
        let cardEnd = state.holdsCard ? charge.sendingEnds(under: policy) : nil
        return [state.next?.time, cardEnd, unknownAt].compactMap(\.self).min()
    }

    /// Whether the step that is due at `time` would send, so that card data must be opened for it.
    public func wantsCard(at time: Timestamp) -> Bool {
        guard state.holdsCard, let next = state.next else { return false }
        return next.kind == .send && next.time <= time && charge.isSendable(at: time, under: policy)
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
        }
        state.holdsCard = state.holdsCard && canStillSend(at: time)
        // Between a query that found nothing and the send that was planned then, the acquirer may have shown that it
        // has the transaction after all.
        if state.next?.kind == .send && state.phase.isOpen && state.phase != .created && !state.holdsCard {
            planQuery(after: time)
        }
        recordUnknown(at: time, &actions)
        return actions
    }

    /// Whether any send may still follow.
    func canStillSend(at time: Timestamp) -> Bool {
        guard charge.isSendable(at: time, under: policy) else { return false }
        switch state.phase {
        case .created: return true
        case .submitting, .unknown:
            return !state.isKnownThere && state.possibleSends < policy.maximumSends(under: charge.reference)
        case .pending, .conflicted, .succeeded, .declined, .refused, .lateSuccess: return false
        }
    }
}

extension OperationMachine {
    /// From when on a person may decide: no request can arrive at the acquirer any more, and the planned queries are over.
    public var resolvableAt: Timestamp {
        max(
            charge.signedAt + policy.acquirerTolerance,
            (state.sentAt ?? state.openSince ?? charge.signedAt) + (policy.querySchedule.last ?? .zero))
    }

    /// Why a person may not decide at `time`; nil when they may.
    public func resolutionRefusal(at time: Timestamp) -> String? {
        switch state.phase {
        case .created: "nothing was sent: the charge ends by itself when its ticket expires"
        case .succeeded, .declined, .refused, .lateSuccess: "the charge has ended as \(state.phase.rawValue)"
        case .submitting, .pending, .unknown, .conflicted:
            time < resolvableAt ? "queries may still decide it: not before \(resolvableAt)" : nil
        }
    }

    /// Takes a person's word. What the acquirer says later against it is an alarm, and money that moved a late success.
    mutating func resolve(
        _ resolution: Resolution, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        guard resolutionRefusal(at: time) == nil else { return }
        switch resolution.outcome {
        case .paid:
            if state.claimsPaid == false { contradict("a notification said declined, a person says paid", &actions) }
            // Of two charges that a recovery brought back, the other one may have paid the order.
            end(orderIsOpen ? .succeeded : .lateSuccess)
        case .notCharged:
            if state.claimsPaid == true { contradict("a notification said paid, a person says not charged", &actions) }
            end(.declined)
        }
        record(.resolved(resolution), &actions)
    }
}
