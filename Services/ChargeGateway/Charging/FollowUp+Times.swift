import Contracts

extension FollowUp {
    /// From when on its attempt may be sent: from the beginning of its slot. The clock of who asked for it may run ahead, so
    /// that the first attempt may also be sent before, as far as the acquirer tolerates.
    func sendingBegins(under policy: ChargingPolicy) -> Timestamp {
        attempt == 0 ? key.time - policy.acquirerTolerance : key.time
    }

    /// From when on its attempt may not be sent: the end of its slot, or that of the acquirer's time for it.
    func sendingEnds(under policy: ChargingPolicy) -> Timestamp { min(key.slotEnd, deadline(under: policy)) }

    /// When the acquirer does it no more, whatever the attempt.
    func deadline(under policy: ChargingPolicy) -> Timestamp {
        switch (kind, target) {
        case (.refund, _): original.time + policy.refundLife
        case (.capture, _), (.void, .authorisation): original.time + policy.holdLife
        case (.void, _): policy.dayEnd(of: original.time)
        }
    }

    /// The first attempt from `first` on that may not be passed over: one that a lost state of the database may have sent, or
    /// that of the present slot.
    func nextAttempt(from first: Int, at time: Timestamp, under policy: ChargingPolicy) -> Int {
        let present = FollowUpKey.attempt(at: time, causedAt: causedAt)
        guard first < present, let last = lastForgotten(under: policy), first <= last else {
            return max(first, present)
        }
        return first
    }

    /// The last attempt that a lost state of the database may have sent: the one whose slot it was when the server of the
    /// database started. nil when the cause came later.
    func lastForgotten(under policy: ChargingPolicy) -> Int? {
        // The clock of the server that was lost may have been ahead.
        let end = policy.recordSince + policy.clockDifference
        guard end > causedAt - policy.acquirerTolerance else { return nil }
        return FollowUpKey.attempt(at: end, causedAt: causedAt)
    }

    /// The attempt whose key `reference` is, among the first `count`; nil for another key.
    func attempt(of reference: AcquirerReference, among count: Int) -> Int? {
        let slot = FollowUpKey.slot.components.seconds
        let passed = reference.time.seconds - causedAt.seconds
        guard passed >= 0, passed % slot == 0, passed / slot < count else { return nil }
        let key = FollowUpKey(kind, cause: cause, causedAt: causedAt, attempt: Int(passed / slot))
        return key.orderNumber == reference.orderNumber ? key.attempt : nil
    }

    /// The key of another attempt, at the acquirer and account of the original.
    func reference(of attempt: Int) -> AcquirerReference {
        var other = self
        other.attempt = attempt
        return other.reference
    }
}
