import Contracts

extension OperationMachine {
    /// Learns what came of a send.
    mutating func learn(
        of attempt: Int, _ outcome: SendOutcome, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        let isNews = attempt == state.sends && state.isSending
        if isNews { state.isSending = false }
        switch outcome {
        case .notSent(let reason):
            // Told twice (a commit whose outcome was not known), or overtaken by a later send: nothing is taken back.
            guard isNews else { return }
            state.unsent += 1
            notSent(reason, at: time, &actions)
        case .unknown(let reason):
            becomeUnknown(reason, &actions)
        case .answered(let answer):
            if let reason = answer.echo.conflict(with: charge) { return conflict(reason, &actions) }
            learn(answer, at: time, orderIsOpen: orderIsOpen, &actions)
        }
    }

    private mutating func notSent(_ reason: String, at time: Timestamp, _ actions: inout [Action]) {
        guard state.phase == .submitting else { return }
        guard state.possibleSends == 0, !state.isKnownThere else {
            return becomeUnknown("the send did not leave, but another one may have: \(reason)", &actions)
        }
        state.phase = .created
        state.next = NextStep(.send, at: time + ChargingPolicy.backOff(policy.notSentBackOff, state.unsent))
        record(.notSent(reason: reason.shortened), &actions)
    }

    /// What the synchronous answer proves: acceptance always, failure only when there was no other send.
    private mutating func learn(
        _ answer: AcquirerAnswer, at time: Timestamp, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        let code = answer.result.code
        switch answer.verdict {
        case .accepted: accepted(answer.result, at: time, &actions)
        case .succeeded(let remark):
            succeeded(answer.result, remark: remark, at: time, orderIsOpen: orderIsOpen, &actions)
        case .declined(let reason):
            switch state.phase {
            case .created, .submitting, .unknown, .pending:
                // Once a send was repeated, its refusal may be the repetition's alone.
                if state.possibleSends == 1 && !state.isKnownThere {
                    decline(reason, answer.result, &actions)
                } else {
                    becomeUnknown("answer \(code) to a send that was repeated proves no failure", &actions)
                }
            case .succeeded, .lateSuccess:
                if state.possibleSends == 1 { contradict("answer \(code) against the money that moved", &actions) }
            case .declined, .refused, .conflicted: break
            }
        case .alreadyKnown:
            state.isKnownThere = true
            becomeUnknown("the acquirer knows the transaction from an earlier send (code \(code))", &actions)
        case .unclear, .notFound, .tooManyQueries:
            becomeUnknown("answer \(code) says neither yes nor no", &actions)
        }
    }
}
