import Contracts

extension OperationMachine {
    /// Executes what is due: send, query, or expire.
    mutating func due(_ card: CardAvailability, at time: Timestamp, _ actions: inout [Action]) {
        if isExpired(at: time), !advanceToNextSlot(at: time, &actions) { return }
        guard let next = state.next, next.time <= time else { return }
        switch next.kind {
        case .query:
            if isAskedInVain(at: time) { becomeUnknown(at: time) }
            state.queries += 1
            state.queriedAt = time
            planQuery(after: time)
            actions.append(.query(subject))
        case .send:
            guard subject.isSendable(at: time, under: policy) else { return planQuery(after: time) }
            send(card, at: time, &actions)
        }
    }

    /// Delays the send, or queries meanwhile when an earlier send may have left.
    mutating func hold(until end: Timestamp, at time: Timestamp, _ actions: inout [Action]) {
        if isExpired(at: time), !advanceToNextSlot(at: time, &actions) { return }
        guard let next = state.next, next.kind == .send, next.time <= time else { return }
        if state.possibleSends == 0 {
            state.next = NextStep(.send, at: max(end, time))
        } else {
            planQuery(after: time)
        }
    }

    /// Whether it was never sent and cannot be any more.
    private func isExpired(at time: Timestamp) -> Bool {
        state.phase == .created && hasMissedItsTime(at: time) && !isAsking
    }

    /// Whether its key may not be sent any more. A follow-up's slot may also be still to come.
    private func hasMissedItsTime(at time: Timestamp) -> Bool {
        switch subject {
        case .charge(let charge): !charge.isSendable(at: time, under: policy)
        case .followUp(let followUp): time >= followUp.sendingEnds(under: policy)
        }
    }

    /// Whether a notification of something that we never sent is looked into, and no query has an answer: a person may
    /// decide then.
    private func isAskedInVain(at time: Timestamp) -> Bool {
        state.phase == .created && !isAskingForUnsent && hasMissedItsTime(at: time)
            && time >= subject.keyTime + (policy.querySchedule.last ?? .zero)
    }

    /// The intent: from this commit on bytes may have left.
    private mutating func send(_ card: CardAvailability, at time: Timestamp, _ actions: inout [Action]) {
        guard subject.reference != nil else {
            guard state.possibleSends == 0 else {
                // Sent under a key that is gone: nobody can be asked, and a person decides.
                state.next = nil
                return becomeUnknown(at: time)
            }
            return failUnsent(.noRoute, at: time, &actions)
        }
        switch card {
        case .ready:
            state.openSince = state.openSince ?? time
            state.sends += 1
            state.isSending = true
            state.sentAt = time
            state.phase = .submitting
            planQuery(after: time)
            actions.append(.send(subject, attempt: state.sends))
        case .keyUnknown:
            alarm(.sealingKeyUnknown, "the card data are sealed to a key that is not in the sealing key set", &actions)
            if state.possibleSends == 0 {
                state.next = NextStep(.send, at: time + policy.sealingKeyWait)
            } else {
                planQuery(after: time)
            }
        case .unreadable:
            alarm(.unreadableCard, "the sealed card data cannot be opened", &actions)
            state.holdsCard = false
            if state.possibleSends == 0 {
                failUnsent(.unreadable, at: time, &actions)
            } else {
                planQuery(after: time)
            }
        }
    }

    /// Whether a notification of something that we never sent is being looked into.
    private var isAsking: Bool { state.next?.kind == .query }

    /// Sets the next query by the schedule. One that only has to find nothing comes sooner: the next attempt waits for it.
    mutating func planQuery(after time: Timestamp) {
        let next =
            isAskingForUnsent
            ? time + policy.unsentQueryInterval : policy.query(after: time, sentAt: state.sentAt ?? subject.keyTime)
        state.next = NextStep(.query, at: next)
    }

    /// Makes a query due now, but not on the heels of the last one.
    mutating func askSoon(at time: Timestamp) {
        let earliest = state.queriedAt.map { $0 + policy.minimumQueryGap } ?? time
        state.next = NextStep(.query, at: max(time, earliest))
    }
}
