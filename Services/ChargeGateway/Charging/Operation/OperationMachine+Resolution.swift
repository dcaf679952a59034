import Contracts

extension OperationMachine {
    /// From when on a person may decide: no request can arrive at the acquirer any more, and the planned queries are over.
    public var resolvableAt: Timestamp {
        let begun = isAskingForUnsent ? state.openSince : state.sentAt ?? state.openSince
        return max(
            subject.keyTime + policy.acquirerTolerance,
            (begun ?? subject.keyTime) + (policy.querySchedule.last ?? .zero))
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
        case .notCharged:
            if state.claimsPaid == true { contradict("a notification said paid, a person says not charged", &actions) }
            end(.declined)
        }
        record(payment: .resolved(resolution), followUp: .resolved(resolution), &actions)
    }
}
