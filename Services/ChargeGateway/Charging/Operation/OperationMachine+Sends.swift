import Contracts

extension OperationMachine {
    /// Handles the outcome of a send.
    mutating func handle(
        of attempt: Int, _ outcome: SendOutcome, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        let isLatest = attempt == state.sends && state.isSending
        if isLatest { state.isSending = false }
        switch outcome {
        case .notSent:
            // Told twice (a commit whose outcome was not known), or overtaken by a later send: nothing is taken back.
            guard isLatest else { return }
            state.unsent += 1
            notSent(at: time)
        case .unsendable(let reason):
            guard isLatest else { return }
            state.unsent += 1
            unsendable(reason, at: time, &actions)
        case .unknown:
            // A follow-up may be at another attempt by now, of which it says nothing.
            guard isLatest || subject.charge != nil else { return }
            becomeUnknown(at: time)
        case .answered(let answer):
            guard takeUpAttempt(of: answer, &actions) else { return }
            if let reason = answer.echoed.conflict(with: subject) { return conflict(reason, &actions) }
            handle(answer, at: time, orderIsOpen: orderIsOpen, &actions)
        }
    }

    private mutating func notSent(at time: Timestamp) {
        guard state.phase == .submitting else { return }
        // Another send may have left.
        guard state.possibleSends == 0, !state.isKnownThere else { return becomeUnknown(at: time) }
        state.phase = .created
        state.openSince = nil
        // A verified notification says that it was paid, by a send that is not known here: the query that it made due
        // comes before any other send.
        guard state.claimsPaid != true else {
            if state.next?.kind != .query { askSoon(at: time) }
            return
        }
        state.next = NextStep(.send, at: time + ChargingPolicy.backOff(policy.notSentBackOff, state.unsent))
    }

    /// No request can be made of it: it ends now, when no other send can have happened.
    private mutating func unsendable(_ reason: String, at time: Timestamp, _ actions: inout [Action]) {
        guard state.phase == .submitting else { return }
        alarm(.unsendable, reason, &actions)
        state.holdsCard = false
        guard state.possibleSends == 0, !state.isKnownThere else { return becomeUnknown(at: time) }
        failUnsent(.unsendable, at: time, &actions)
    }

    /// What the synchronous answer proves: acceptance always, failure only when there was no other send.
    private mutating func handle(
        _ answer: AcquirerAnswer, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        switch answer.verdict {
        case .accepted:
            accepted(answer.result, at: time)
            // Told after a decline it is no proof of either: the repetition may have been taken.
            if state.phase == .declined || state.phase == .refused { askSoon(at: time) }
        case .succeeded where !subject.isOrderSigned:
            // The answer repeats our request's fields. What the acquirer holds under the key, a query tells.
            accepted(answer.result, at: time)
            askSoon(at: time)
        case .succeeded(let remark):
            succeeded(answer.result, remark: remark, at: time, orderIsOpen: orderIsOpen, &actions)
        case .declined(let reason): refused(Refusal(reason), answer, &actions, at: time)
        case .failed(let reason): refused(Refusal(reason), answer, &actions, at: time)
        case .alreadyKnown:
            state.isKnownThere = true
            becomeUnknown(at: time)
        case .alreadyReturned:
            // Another attempt would be told the same. When the files lack this one, it has failed.
            state.isQueryOnly = state.isQueryOnly || subject.charge == nil
            becomeUnknown(at: time)
        case .unclear, .notFound, .tooManyQueries: becomeUnknown(at: time)
        }
    }

    /// A synchronous refusal proves failure when there was no other send.
    private mutating func refused(
        _ refusal: Refusal, _ answer: AcquirerAnswer, _ actions: inout [Action], at time: Timestamp
    ) {
        switch state.phase {
        case .created, .submitting, .unknown, .pending:
            // Once a send was repeated, its refusal may be the repetition's alone. What was asked for before the database's
            // server started may have been sent before.
            let isOfTheOnlySend =
                state.possibleSends == 1 && !state.isRecovered && !state.isKnownThere
                && subject.keyTime > policy.recordSince
            if isOfTheOnlySend, state.claimsPaid == true {
                contradict("a notification said paid, the answer says declined", &actions)
            }
            // While a verified notification says that it was paid, only a query ends it.
            if isOfTheOnlySend, state.claimsPaid != true {
                fail(refusal, answer.result, &actions)
            } else {
                becomeUnknown(at: time)
            }
        case .succeeded, .lateSuccess, .expired:
            if state.possibleSends == 1 {
                contradict("answer \(answer.result.code) against the money that moved", &actions)
            }
        case .declined, .refused, .conflicted: break
        }
    }
}
