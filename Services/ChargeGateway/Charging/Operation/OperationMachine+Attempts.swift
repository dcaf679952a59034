import Contracts

/// The attempts of a follow-up, each under a key of its own. Attempt n + 1 begins only when n is proved absent: by our own
/// record without a gap, or by the settlement files; and a query finds nothing.
extension OperationMachine {
    /// A new follow-up.
    ///
    /// - Parameter suspicion: when a database that was lost may have known it: then each attempt that it may have sent is
    ///   asked for before anything else.
    static func begin(
        _ followUp: FollowUp, at time: Timestamp, _ suspicion: Suspicion? = nil, policy: ChargingPolicy
    ) -> (Self, [Action]) {
        var followUp = followUp
        followUp.attempt =
            suspicion == nil && followUp.forgotten(from: 0, at: time, under: policy) != nil
            ? 0 : FollowUpKey.attempt(at: time, causedAt: followUp.causedAt)
        var machine = Self(.followUp(followUp), state: OperationState(phase: .created), policy: policy)
        if let suspicion {
            machine.state.isQueryOnly = suspicion == .mayNotBeSentNow
            machine.suspectForgottenSends(at: time)
        } else {
            machine.state.next = NextStep(.send, at: max(time, followUp.sendingBegins(under: policy)))
        }
        var actions: [Action] = []
        machine.record(followUp, .accepted, &actions)
        return (machine, actions)
    }

    /// It is only asked for from now on.
    mutating func giveUpAttempts(at time: Timestamp) {
        state.isQueryOnly = true
        guard state.phase.isOpen else { return }
        becomeUnknown(at: time)
        if state.next?.kind != .query { askSoon(at: time) }
    }

    /// Goes to the attempt of the present slot when its own slot has passed and surely nothing was sent in it.
    ///
    /// Our own record says so, and the acquirer is asked as well: a snapshot of the disks that was put back looks like the
    /// database that it was, and has no trace of what was sent after it. Of attempts whose slots began after the start of the
    /// database's server only the present one is asked for.
    ///
    /// - Returns: whether it may be sent now; else it has ended, or is asked for.
    mutating func advanceToNextSlot(at time: Timestamp, _ actions: inout [Action]) -> Bool {
        guard let followUp = subject.followUp else {
            failUnsent(.expired, at: time, &actions)
            return false
        }
        guard isSurelyUnsent else {
            becomeUnknown(at: time)
            askSoon(at: time)
            return false
        }
        if let attempts = attemptsToAsk(at: time) {
            ask(attempts, of: followUp, at: time)
            return false
        }
        guard time < followUp.deadline(under: policy) else {
            fail(.expired, nil, &actions)
            return false
        }
        begin(attempt: FollowUpKey.attempt(at: time, causedAt: followUp.causedAt), of: followUp, at: time)
        return true
    }

    /// Its attempts that are to be asked for before another begins: the present one, and those that a lost state of the
    /// database may have sent; only slots that have passed. nil when there are none.
    func attemptsToAsk(at time: Timestamp) -> ClosedRange<Int>? {
        guard let followUp = subject.followUp else { return nil }
        let first = state.lastSuspect.map { $0 + 1 } ?? followUp.attempt
        if let forgotten = followUp.forgotten(from: first, at: time, under: policy) { return forgotten }
        let isPresent = state.lastSuspect == nil && first <= followUp.lastPassed(at: time, under: policy)
        return isPresent ? first...first : nil
    }

    private mutating func ask(_ attempts: ClosedRange<Int>, of followUp: FollowUp, at time: Timestamp) {
        var asked = followUp
        asked.attempt = attempts.lowerBound
        subject = .followUp(asked)
        state.lastSuspect = attempts.upperBound
        // The files lacked the keys of before.
        state.absentSince = nil
        state.openSince = state.openSince ?? time
        askSoon(at: max(time, asked.shownAt(under: policy)))
    }

    /// Whether nothing was sent by our own record, and the acquirer is asked before the next attempt begins.
    public var isAskingForUnsent: Bool { state.phase == .created && state.lastSuspect != nil && isSurelyUnsent }

    /// The attempts before this one are proved absent.
    private mutating func begin(attempt: Int, of followUp: FollowUp, at time: Timestamp) {
        precondition(attempt > followUp.attempt, "an attempt follows those before it")
        var next = followUp
        next.attempt = attempt
        subject = .followUp(next)
        state.unsent = state.sends
        (state.isSending, state.sentAt, state.openSince) = (false, nil, nil)
        (state.isRecovered, state.lastSuspect, state.absentSince, state.claimsPaid) = (false, nil, nil, nil)
        state.phase = .created
        state.next = NextStep(.send, at: max(time, next.sendingBegins(under: policy)))
    }

    /// Whether an answer is about its present attempt. One of an attempt that is to be asked for becomes the present one, when
    /// the acquirer has it; one that shows an attempt that cannot be there is a conflict.
    mutating func takeUpAttempt(of answer: AcquirerAnswer, _ actions: inout [Action]) -> Bool {
        guard var followUp = subject.followUp else { return true }
        let isThere = answer.verdict.showsTransaction
        let (own, named) = (followUp.reference, answer.result.reference)
        if named.orderNumber == own.orderNumber && named.time == own.time {
            if isThere { state.lastSuspect = nil }
            return true
        }
        guard isThere else { return false }
        let count = max(state.lastSuspect ?? 0, followUp.attempt) + 1
        guard let attempt = followUp.attempt(of: named, among: count) else {
            conflict("the answer is about none of its keys", &actions)
            return false
        }
        if state.lastSuspect != nil {
            followUp.attempt = attempt
            subject = .followUp(followUp)
            state.lastSuspect = nil
            return true
        }
        if answer.verdict.isRefusal { return false }
        conflict("the acquirer shows attempt \(attempt), which was proved absent", &actions)
        return false
    }

    /// Asks for the next of the attempts up to the last that is to be asked for.
    ///
    /// - Returns: false when all were asked for, or there are none.
    mutating func advanceToNextSuspect(at time: Timestamp) -> Bool {
        guard var followUp = subject.followUp, let last = state.lastSuspect, state.phase.isOpen, last > 0 else {
            return false
        }
        let isRoundOver = followUp.attempt >= last
        followUp.attempt = isRoundOver ? 0 : followUp.attempt + 1
        subject = .followUp(followUp)
        if !isRoundOver {
            askSoon(at: isAskingForUnsent ? max(time + policy.unsentQueryGap, followUp.shownAt(under: policy)) : time)
        }
        return !isRoundOver
    }

    /// Asks once more; a query that finds nothing then proves it absent.
    mutating func absentInFiles(_ last: AcquirerReference, at time: Timestamp, _ actions: inout [Action]) {
        guard state.phase == .submitting || state.phase == .unknown || state.phase == .pending,
            last == possibleKeys.last, state.absentSince == nil, subject.filesProveAbsence
        else { return }
        guard !state.isKnownThere, state.claimsPaid != true else {
            // It is told once: the files are not looked at again.
            state.absentSince = time
            return contradict("the settlement files lack what the acquirer has shown", &actions)
        }
        guard !canStillSend(at: time) else { return }
        state.absentSince = time
        if var followUp = subject.followUp, state.lastSuspect != nil {
            followUp.attempt = 0
            subject = .followUp(followUp)
        }
        askSoon(at: time)
    }

    /// Neither the files nor the acquirer have it: a charge has ended, a follow-up goes to its next attempt.
    mutating func provedAbsent(at time: Timestamp, _ actions: inout [Action]) {
        guard state.phase == .submitting || state.phase == .unknown, !state.isKnownThere, state.claimsPaid != true,
            !canStillSend(at: time)
        else { return }
        let last = max(state.lastSuspect ?? 0, subject.followUp?.attempt ?? 0)
        switch subject {
        case .charge(let charge):
            end(.declined)
            record(
                charge, .notCharged(reason: "the acquirer's settlement files lack it, and a query finds nothing"),
                &actions)
        case .followUp(let followUp):
            if let forgotten = followUp.forgotten(from: last + 1, at: time, under: policy) {
                // Its time may be over: that is told when all are asked for.
                guard !state.isQueryOnly else { return ask(forgotten, of: followUp, at: time) }
                return begin(attempt: forgotten.lowerBound, of: followUp, at: time)
            }
            guard time < followUp.deadline(under: policy), !state.isQueryOnly else {
                end(.declined)
                return record(followUp, .failed(.notFound, nil), &actions)
            }
            let present = FollowUpKey.attempt(at: time, causedAt: followUp.causedAt)
            begin(attempt: max(present, last + 1), of: followUp, at: time)
        }
    }
}

extension Verdict {
    /// Whether the acquirer has a transaction of the key, or had one that it refused.
    fileprivate var showsTransaction: Bool {
        switch self {
        case .accepted, .succeeded, .declined, .failed, .alreadyKnown, .alreadyReturned, .unclear: true
        case .notFound, .tooManyQueries: false
        }
    }

    fileprivate var isRefusal: Bool {
        switch self {
        case .declined, .failed: true
        case .accepted, .succeeded, .alreadyKnown, .alreadyReturned, .unclear, .notFound, .tooManyQueries: false
        }
    }
}
