import Contracts

extension FollowUp {
    /// From when on its attempt may be sent: from the beginning of its slot. The clock of who asked for it may run ahead, so
    /// that the first attempt may also be sent before, as far as the acquirer tolerates.
    func sendingBegins(under policy: ChargingPolicy) -> Timestamp {
        attempt == 0 ? key.time - policy.acquirerTolerance : key.time
    }

    /// From when on its attempt may not be sent: the end of its slot, or that of the acquirer's time for it.
    func sendingEnds(under policy: ChargingPolicy) -> Timestamp { min(key.slotEnd, deadline(under: policy)) }

    /// From when on the acquirer surely shows whether its attempt was sent.
    func shownAt(under policy: ChargingPolicy) -> Timestamp { sendingEnds(under: policy) + policy.showDelay }

    /// When the acquirer does it no more, whatever the attempt.
    func deadline(under policy: ChargingPolicy) -> Timestamp {
        switch (kind, target) {
        case (.refund, _): original.time + policy.refundLife
        case (.capture, _), (.void, .authorisation): original.time + policy.holdLife
        case (.void, _): policy.dayEnd(of: original.time)
        }
    }

    /// The last attempt whose slot has passed at `time`, or before its deadline; -1 when there is none.
    func lastPassed(at time: Timestamp, under policy: ChargingPolicy) -> Int {
        let deadline = deadline(under: policy)
        return time < deadline
            ? FollowUpKey.attempt(at: time, causedAt: causedAt) - 1
            : FollowUpKey.attempt(at: deadline, causedAt: causedAt)
    }

    /// Its attempts from `first` on that a lost state of the database may have sent: those whose slots had begun when the
    /// server of the database started, and have passed.
    func forgotten(from first: Int, at time: Timestamp, under policy: ChargingPolicy) -> ClosedRange<Int>? {
        // The clock of the server that was lost may have been ahead.
        let start = policy.recordSince + policy.clockDifference
        guard start > causedAt - policy.acquirerTolerance else { return nil }
        let last = min(FollowUpKey.attempt(at: start, causedAt: causedAt), lastPassed(at: time, under: policy))
        return first <= last ? first...last : nil
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
