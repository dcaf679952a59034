import Contracts

extension OperationMachine {
    mutating func decline(_ reason: DeclineReason, _ result: AcquirerResult?, _ actions: inout [Action]) {
        fail(Refusal(reason), result, &actions)
    }

    /// Ends it as not done.
    mutating func fail(_ refusal: Refusal, _ result: AcquirerResult?, _ actions: inout [Action]) {
        precondition(
            result != nil || state.possibleSends == 0, "a decline of our own is allowed only when nothing can be sent")
        end(.declined)
        record(payment: .declined(refusal.decline, result), followUp: .failed(refusal.failure, result), &actions)
        if refusal.decline == .configuration {
            alarm(.configuration, "the acquirer refuses our set-up with code \(result?.code ?? "?")", &actions)
        }
    }

    /// Ends as not done what surely was not sent. If a verified notification says that it was paid, only a query or an
    /// operator decides.
    mutating func failUnsent(_ refusal: Refusal, at time: Timestamp, _ actions: inout [Action]) {
        guard state.claimsPaid == true else { return fail(refusal, nil, &actions) }
        becomeUnknown(at: time)
        askSoon(at: time)
    }

    mutating func succeed(
        _ result: AcquirerResult, remark: Remark?, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        let result = result.remarked(remark?.text.shortened)
        state.serial = result.serial ?? state.serial
        let sentAt = state.possibleSends > 0 ? state.openSince : nil
        let queries = Int64(state.queries)
        switch subject {
        case .charge(let charge) where orderIsOpen && state.phase.isOpen && remark?.isOfFailure != true:
            end(.succeeded)
            let event: PaymentEvent =
                charge.kind == .sale
                ? .succeeded(result, sentAt: sentAt, queries: queries)
                : .authorised(
                    result, sentAt: sentAt, queries: queries,
                    expiresAt: (charge.reference?.time ?? charge.signedAt) + policy.holdLife)
            record(charge, event, &actions)
        case .charge(let charge):
            end(.lateSuccess)
            record(charge, charge.kind == .sale ? .lateSuccess(result) : .lateAuthorised(result), &actions)
            alarm(.lateSuccess, "money moved for a payment that had ended or failed; it is owed back", &actions)
        case .followUp(let followUp):
            let hadFailed = !state.phase.isOpen
            end(.succeeded)
            record(followUp, .succeeded(result, sentAt: sentAt, queries: queries), &actions)
            if hadFailed { contradict("the \(followUp.kind.rawValue) was done after it had failed", &actions) }
        }
        if let remark { alarm(.successWithRemark, "code \(result.code): \(remark.text)", &actions) }
    }

    /// The hold is over, and nothing was captured.
    mutating func expireHold(_ actions: inout [Action]) {
        guard let charge = subject.charge else { return }
        end(.expired)
        record(charge, .authorisationExpired, &actions)
    }

    /// Another transaction under our key: only an operator can find out what happened.
    mutating func conflict(_ reason: String, _ actions: inout [Action]) {
        if state.phase.isOpen {
            end(.conflicted)
            let text = reason.shortened
            record(payment: .conflicted(reason: text), followUp: .conflicted(reason: text), &actions)
        }
        alarm(.conflict, reason, &actions)
    }

    /// The outcome is open, and no answer to a send will decide it.
    mutating func becomeUnknown(at time: Timestamp) {
        guard state.phase == .submitting || state.phase == .created else { return }
        state.phase = .unknown
        state.openSince = state.openSince ?? time
    }

    /// When `payment.unknown` is due; nil when it was published, or no outcome is awaited.
    var unknownAt: Timestamp? {
        guard !state.isUnknownPublished, state.phase.isOpen, state.phase != .created else { return nil }
        return state.openSince.map { $0 + policy.unknownAfter }
    }

    /// Publishes `payment.unknown` once, when the outcome has been missing for long enough.
    mutating func recordUnknown(at time: Timestamp, _ actions: inout [Action]) {
        guard let unknownAt, unknownAt <= time else { return }
        state.isUnknownPublished = true
        let reason =
            switch state.phase {
            case .pending:
                "the acquirer took the \(subject.charge == nil ? subject.kind.rawValue : "charge") and has not told its outcome yet"
            default: "no answer that proves an outcome has come yet"
            }
        record(payment: .unknown(reason: reason), followUp: .unknown(reason: reason), &actions)
    }

    mutating func end(_ phase: OperationPhase) {
        state.phase = phase
        state.next = nil
        state.holdsCard = false
        (state.absentSince, state.lastSuspect) = (nil, nil)
    }
}

extension String {
    /// At most 200 bytes, the contract's limit for a reason.
    var shortened: String {
        var text = self
        while text.utf8.count > 200 { text.removeLast() }
        return text
    }
}
