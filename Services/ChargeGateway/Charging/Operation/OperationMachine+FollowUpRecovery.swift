import Contracts

/// What a follow-up becomes when the database has lost its last transactions, and the journal has not.
extension OperationMachine {
    /// A follow-up of which only the journal knows.
    init(restoring fact: FollowUpFact, as followUp: FollowUp, toldAt time: Timestamp, policy: ChargingPolicy) {
        self.init(.followUp(followUp), state: OperationState(phase: .unknown), policy: policy)
        state.isRecovered = true
        state.openSince = time
        _ = restore(fact)
    }

    /// Takes up a fact of the journal; see the same for charges.
    mutating func restore(_ fact: FollowUpFact) -> [Action] {
        var actions: [Action] = []
        let isKnown = fact.transition <= state.transition
        if fact.amount != subject.amount || fact.merchant != subject.merchant {
            contradict("the journal tells of another amount or merchant", &actions)
        }
        if isKnown, !agrees(with: fact) {
            contradict(
                "the journal tells '\(fact.event.kind.rawValue)' of a \(fact.kind.rawValue) that is "
                    + "\(state.phase.rawValue) here", &actions)
        } else if isKnown {
            return actions
        }
        state.transition = max(state.transition, fact.transition)
        switch fact.event {
        case .accepted: if isKnown { reopen() }
        case .unknown:
            state.isUnknownPublished = true
            if isKnown { reopen() } else { becomeUnknown(at: state.openSince ?? subject.keyTime) }
        case .succeeded(let result, _, _): succeed(as: result)
        case .failed: fail(fact)
        case .conflicted: end(.conflicted)
        case .resolved(let resolution): if resolution.outcome == .paid { end(.succeeded) } else { fail(fact) }
        }
        return actions
    }

    /// It was not done. After a void of taken money one more query is due: with that step the order gives back what is
    /// left, where that was lost as well.
    private mutating func fail(_ fact: FollowUpFact) {
        end(.declined)
        guard fact.kind == .void, fact.target != .authorisation else { return }
        state.isRecovered = true
        askSoon(at: subject.keyTime)
    }

    /// It was done under the key that the result names.
    private mutating func succeed(as result: AcquirerResult) {
        if var followUp = subject.followUp,
            let attempt = followUp.attempt(of: result.reference, among: Int(Int32.max))
        {
            followUp.attempt = attempt
            subject = .followUp(followUp)
        }
        end(.succeeded, result)
    }

    /// Whether a fact that was told before can lie on the way to where the follow-up stands.
    private func agrees(with fact: FollowUpFact) -> Bool {
        let isLast = fact.transition == state.transition
        return switch fact.event {
        case .accepted: !isLast || state.phase.isOpen
        case .unknown: state.isUnknownPublished && state.phase != .created && (!isLast || state.phase.isOpen)
        case .succeeded: state.phase == .succeeded
        case .failed: state.phase == .declined || (!isLast && state.phase == .succeeded)
        case .conflicted: state.phase == .conflicted || !isLast
        case .resolved(let resolution):
            state.phase == (resolution.outcome == .paid ? .succeeded : .declined)
                || (!isLast && state.phase == .succeeded)
        }
    }
}
