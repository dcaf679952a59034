import Contracts

extension OperationMachine {
    /// From when on a person may decide: no request can arrive at the acquirer any more, and the planned queries are over.
    public var resolvableAt: Timestamp {
        let queries = policy.querySchedule.last ?? .zero
        let begun = isAskingForUnsent ? state.openSince : state.sentAt ?? state.openSince
        let times = [
            subject.keyTime + policy.acquirerTolerance, (begun ?? subject.keyTime) + queries, forgottenUntil + queries,
        ]
        return times.reduce(subject.keyTime, max)
    }

    /// Until when a database that was lost may have sent it.
    private var forgottenUntil: Timestamp {
        guard let followUp = subject.followUp, let last = state.lastSuspect, !isAskingForUnsent else {
            return subject.keyTime
        }
        return FollowUpKey(followUp.kind, cause: followUp.cause, causedAt: followUp.causedAt, attempt: last).slotEnd
    }

    /// Why a person may not decide at `time`; nil when they may.
    public func resolutionRefusal(at time: Timestamp) -> String? {
        switch state.phase {
        case .created where !isAskingForUnsent:
            subject.charge == nil
                ? "nothing was sent: it is sent when its account takes it"
                : "nothing was sent: the charge ends by itself when its ticket expires"
        case .succeeded, .declined, .refused, .lateSuccess, .expired:
            "the \(subject.charge == nil ? subject.kind.rawValue : "charge") has ended as \(state.phase.rawValue)"
        case .created, .submitting, .pending, .unknown, .conflicted:
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
            end(orderIsOpen || subject.charge == nil ? .succeeded : .lateSuccess)
            askForNumber(at: time)
        case .notCharged:
            if state.claimsPaid == true { contradict("a notification said paid, a person says not charged", &actions) }
            end(.declined)
        }
        record(payment: .resolved(resolution), followUp: .resolved(resolution), &actions)
    }

    /// Asks for the acquirer's number of a hold that a person called paid: a capture or a void names it.
    mutating func askForNumber(at time: Timestamp) {
        guard state.phase == .succeeded || state.phase == .lateSuccess, state.serial == nil,
            subject.kind == .authorisation
        else { return }
        // After a recovery a step of a late success gives it back by itself, which a person's word does not.
        guard state.phase == .succeeded || !state.isRecovered else { return }
        askSoon(at: time)
    }
}
