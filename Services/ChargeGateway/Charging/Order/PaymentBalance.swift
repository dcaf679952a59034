import Contracts

/// What became of a payment's money: what is held, taken, given back, and what is under way.
///
/// A value read from the order's operations; the order decides by it.
public struct PaymentBalance: Sendable {
    let charge: Charge
    let state: OperationState
    /// The operations that followed, in the order of their causes.
    let followUps: [(followUp: FollowUp, state: OperationState)]

    /// - Returns: nil when the operation is no charge.
    init?(_ operation: OperationMachine, followUps: [OperationMachine]) {
        guard let charge = operation.subject.charge else { return nil }
        self.charge = charge
        state = operation.state
        self.followUps = followUps.compactMap { machine in
            machine.subject.followUp.flatMap { $0.payment == charge.payment ? ($0, machine.state) : nil }
        }
    }

    /// A transaction at the acquirer that another one may undo.
    struct Original {
        let reference: AcquirerReference
        let serial: String?
        let kind: OperationKind
        /// In minor units.
        let amount: Int64
    }

    /// Whether money of it moved, or was held.
    var hasSucceeded: Bool { [.succeeded, .lateSuccess, .expired].contains(state.phase) }

    /// Whether an operation that followed has no outcome yet.
    public var isBusy: Bool { followUps.contains { $0.state.phase.isLive } }

    /// The capture that counts: the last one that was done and not voided.
    var capture: Original? {
        var found: Original?
        for (followUp, state) in followUps where state.phase == .succeeded {
            switch (followUp.kind, followUp.target) {
            case (.capture, _):
                found = Original(
                    reference: followUp.reference, serial: state.serial, kind: .capture,
                    amount: followUp.amount.minorUnits)
            case (.void, .capture): found = nil
            case (.void, _), (.refund, _): break
            }
        }
        return found
    }

    /// Whether the sale or the authorisation itself was voided.
    var isVoided: Bool {
        followUps.contains { $0.state.phase == .succeeded && $0.followUp.target == charge.kind }
    }

    /// The charge as the acquirer has it.
    var whole: Original? {
        charge.reference.map {
            Original(reference: $0, serial: state.serial, kind: charge.kind, amount: charge.amount.minorUnits)
        }
    }

    /// Whether the acquirer is asked for the number of a hold that a person called paid. What follows names it.
    var awaitsNumber: Bool {
        charge.kind == .authorisation && state.serial == nil && state.phase == .succeeded && state.next?.kind == .query
    }

    /// What took the money; nil when none is taken.
    var taken: Original? {
        guard hasSucceeded, !isVoided else { return nil }
        return charge.kind == .sale ? whole : capture
    }

    /// What was given back of it, or may have been, in minor units.
    public var refunded: Int64 {
        followUps.reduce(0) { sum, next in
            let counts = next.followUp.kind == .refund && (next.state.phase == .succeeded || next.state.phase.isLive)
            guard counts else { return sum }
            // Amounts that no acquirer takes may come from a damaged row or journal: nothing more can be given back then.
            let (added, isOverflow) = sum.addingReportingOverflow(max(0, next.followUp.amount.minorUnits))
            return isOverflow ? .max : added
        }
    }

    /// What can still be given back, in minor units.
    public var refundable: Int64 { taken.map { max(0, $0.amount - refunded) } ?? 0 }

    /// When its hold ends by itself; nil when nothing is held, or a capture or void may end it otherwise.
    func holdEnd(under policy: ChargingPolicy) -> Timestamp? {
        guard charge.kind == .authorisation, state.phase == .succeeded || state.phase == .lateSuccess, !isVoided,
            capture == nil, let reference = charge.reference,
            !followUps.contains(where: { $0.state.phase.isLive && $0.followUp.kind != .refund })
        else { return nil }
        return reference.time + policy.holdLife
    }
}
