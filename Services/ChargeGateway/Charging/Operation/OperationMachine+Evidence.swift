import Contracts

extension OperationMachine {
    /// Handles the outcome of a query: it decides.
    mutating func handle(
        _ outcome: QueryOutcome, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        let answer: AcquirerAnswer
        switch outcome {
        case .failed: return
        case .misconfigured(let reason):
            alarm(.configuration, "no query can tell what became of it: \(reason)", &actions)
            return stopConfirming(at: time)
        case .answered(let verified): answer = verified
        }
        guard takeUpAttempt(of: answer, &actions) else { return }
        if let reason = answer.conflict(with: subject) {
            conflict(reason, &actions)
            return stopConfirming(at: time)
        }
        switch answer.verdict {
        case .succeeded(let remark):
            if state.claimsPaid == false { contradict("a notification said declined, the query says paid", &actions) }
            succeeded(answer.result, remark: remark, at: time, orderIsOpen: orderIsOpen, &actions)
        case .declined(let reason):
            if state.claimsPaid == true { contradict("a notification said paid, the query says declined", &actions) }
            declined(Refusal(reason), answer.result, at: time, &actions)
        case .failed(let reason):
            if state.claimsPaid == true { contradict("a notification said done, the query says failed", &actions) }
            declined(Refusal(reason), answer.result, at: time, &actions)
        case .accepted: accepted(answer.result, at: time)
        case .alreadyKnown, .alreadyReturned, .unclear:
            state.isKnownThere = true
            // A process sent it whose intent this database has lost: it must not expire.
            if state.phase == .created { becomeUnknown(at: time) }
            if !state.isRecovered || state.phase == .succeeded { stopConfirming(at: time) }
        case .notFound: notFound(at: time, &actions)
        case .tooManyQueries:
            if let next = state.next, next.kind == .query { planQuery(after: next.time) }
        }
    }

    /// Handles a notification: it proves nothing, but makes the query due now.
    mutating func handleNotification(_ answer: AcquirerAnswer, at time: Timestamp, _ actions: inout [Action]) {
        guard takeUpAttempt(of: answer, &actions) else { return }
        if let reason = answer.echoed.conflict(with: subject) { return conflict(reason, &actions) }
        let claimsPaid: Bool? =
            switch answer.verdict {
            case .succeeded: true
            case .declined, .failed: false
            default: nil
            }
        switch state.phase {
        case .created, .submitting, .pending, .unknown:
            state.claimsPaid = claimsPaid ?? state.claimsPaid
            if claimsPaid == true, state.absentSince != nil {
                contradict("a notification says paid, and the settlement files lack it", &actions)
            }
            askSoon(at: time)
        case .succeeded, .lateSuccess, .expired:
            if claimsPaid == false { contradict("a notification says declined after money moved", &actions) }
        case .declined, .refused:
            guard claimsPaid == true else { return }
            contradict("a notification says paid after the payment was \(state.phase.rawValue)", &actions)
            askSoon(at: time)
        case .conflicted: break
        }
    }

    mutating func accepted(_ result: AcquirerResult, at time: Timestamp) {
        state.isKnownThere = true
        state.serial = state.serial ?? result.serial
        switch state.phase {
        case .created, .submitting, .unknown:
            state.phase = .pending
            state.acceptedAt = state.acceptedAt ?? time
            state.openSince = state.openSince ?? time
            // The acquirer has it: it is never sent again.
            if state.next?.kind != .query { planQuery(after: time) }
        case .succeeded, .lateSuccess: stopConfirming(at: time)
        case .pending, .conflicted, .declined, .refused, .expired: break
        }
    }

    mutating func succeeded(
        _ result: AcquirerResult, remark: Remark?, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        state.isKnownThere = true
        switch state.phase {
        case .created, .submitting, .pending, .unknown, .declined, .refused:
            succeed(result, remark: remark, orderIsOpen: orderIsOpen, &actions)
        case .conflicted: contradict("the query says paid while the payment is in conflict", &actions)
        // What a recovery asked for again is what was told.
        case .succeeded, .lateSuccess, .expired:
            state.serial = state.serial ?? result.serial
            state.next = nil
        }
    }

    private mutating func declined(
        _ refusal: Refusal, _ result: AcquirerResult, at time: Timestamp, _ actions: inout [Action]
    ) {
        switch state.phase {
        case .created, .submitting, .pending, .unknown: fail(refusal, result, &actions)
        case .succeeded, .lateSuccess, .expired:
            contradict("the query says declined after money moved", &actions)
            stopConfirming(at: time)
        case .declined, .refused: state.next = nil
        case .conflicted: break
        }
    }

    /// The acquirer has nothing under our key, perhaps not yet. The key makes a repetition harmless.
    private mutating func notFound(at time: Timestamp, _ actions: inout [Action]) {
        guard !advanceToNextSuspect(at: time) else { return }
        if let since = state.absentSince, let asked = state.queriedAt, asked >= since, subject.filesProveAbsence {
            return provedAbsent(at: time, &actions)
        }
        switch state.phase {
        case .created: state.next = NextStep(.send, at: time)
        case .submitting, .unknown:
            let mayBeOnItsWay = state.isSending && state.sentAt.map { time < $0 + policy.sendInProgress } ?? false
            guard maySend(at: time), !state.isKnownThere, !mayBeOnItsWay,
                state.possibleSends < policy.maximumSends(under: subject.reference),
                subject.isSendable(at: time, under: policy)
            else { return }
            let wait = ChargingPolicy.backOff(policy.resendBackOff, state.possibleSends)
            state.next = NextStep(.send, at: max(time, (state.sentAt ?? time) + wait))
        case .succeeded, .declined, .refused, .lateSuccess: stopConfirming(at: time)
        case .pending, .conflicted, .expired: break
        }
    }

    /// Ends the queries that began after an end, by a contrary notification or answer or for the number of a hold, when the
    /// schedule is over: until then an acquirer may be slow to show what it took. A late success that a recovery asks for
    /// is asked for until it is shown: what it owes follows then.
    private mutating func stopConfirming(at time: Timestamp) {
        guard !state.phase.isLive, state.phase != .lateSuccess || !state.isRecovered else { return }
        let scheduleEnd = (state.sentAt ?? subject.keyTime) + (policy.querySchedule.last ?? .zero)
        if time >= scheduleEnd { state.next = nil }
    }
}
