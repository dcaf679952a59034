import Contracts

extension OperationMachine {
    /// Records a fact: the next transition, without a gap.
    mutating func record(_ event: PaymentEvent, _ actions: inout [Action]) {
        state.transition += 1
        actions.append(
            .record(
                .payment(
                    PaymentFact(
                        order: charge.order, merchant: charge.merchant, payment: charge.payment,
                        operation: charge.operation, transition: state.transition, revision: charge.revision,
                        amount: charge.amount, event: event))))
    }

    func alarm(_ kind: Alarm.Kind, _ reason: String, _ actions: inout [Action]) {
        actions.append(.alarm(Alarm(kind, order: charge.order, payment: charge.payment, reason: reason)))
    }

    mutating func decline(_ reason: DeclineReason, _ result: AcquirerResult?, _ actions: inout [Action]) {
        precondition(
            result != nil || state.possibleSends == 0, "a decline of our own is allowed only when nothing can be sent")
        end(.declined)
        record(.declined(reason, result), &actions)
        if reason == .configuration {
            alarm(.configuration, "the acquirer refuses our set-up with code \(result?.code ?? "?")", &actions)
        }
    }

    /// Declines a charge that surely was not sent. If a verified notification says that it was paid, only a query or an
    /// operator decides.
    mutating func declineUnsent(_ reason: DeclineReason, at time: Timestamp, _ actions: inout [Action]) {
        guard state.claimsPaid == true else { return decline(reason, nil, &actions) }
        becomeUnknown(at: time)
        askSoon(at: time)
    }

    mutating func succeed(
        _ result: AcquirerResult, remark: String?, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        if orderIsOpen && state.phase.isOpen {
            let sentAt = state.possibleSends > 0 ? state.openSince : nil
            end(.succeeded)
            record(.succeeded(result, sentAt: sentAt, queries: Int64(state.queries)), &actions)
        } else {
            end(.lateSuccess)
            record(.lateSuccess(result), &actions)
            alarm(.lateSuccess, "money moved for a payment that had ended; it is owed back", &actions)
        }
        if let remark { alarm(.successWithRemark, "code \(result.code): \(remark)", &actions) }
    }

    /// Another transaction under our key: only an operator can find out what happened.
    mutating func conflict(_ reason: String, _ actions: inout [Action]) {
        if state.phase.isOpen {
            end(.conflicted)
            record(.conflicted(reason: reason.shortened), &actions)
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
            case .pending: "the acquirer took the charge and has not told its outcome yet"
            default: "no answer that proves an outcome has come yet"
            }
        record(.unknown(reason: reason), &actions)
    }

    mutating func end(_ phase: OperationPhase) {
        state.phase = phase
        state.next = nil
        state.holdsCard = false
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
