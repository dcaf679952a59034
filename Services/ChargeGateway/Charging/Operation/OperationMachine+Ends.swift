import Contracts

extension OperationMachine {
    /// Tells what happened: the next transition, without a gap.
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

    mutating func succeed(
        _ result: AcquirerResult, remark: String?, orderIsOpen: Bool, _ actions: inout [Action]
    ) {
        if orderIsOpen && state.phase.isOpen {
            end(.succeeded)
            record(.succeeded(result), &actions)
        } else {
            end(.lateSuccess)
            record(.lateSuccess(result), &actions)
            alarm(.lateSuccess, "money moved for a payment that had ended; it is owed back", &actions)
        }
        if let remark { alarm(.successWithRemark, "code \(result.code): \(remark)", &actions) }
    }

    /// Somebody else's transaction under our key: nobody but a person can say what happened to whose money.
    mutating func conflict(_ reason: String, _ actions: inout [Action]) {
        if state.phase.isOpen {
            end(.conflicted)
            record(.conflicted(reason: reason.shortened), &actions)
        }
        alarm(.conflict, reason, &actions)
    }

    /// The outcome is open, and the books should know it.
    mutating func becomeUnknown(_ reason: String, _ actions: inout [Action]) {
        guard state.phase == .submitting || state.phase == .created else { return }
        state.phase = .unknown
        record(.unknown(reason: reason.shortened), &actions)
    }

    private mutating func end(_ phase: OperationPhase) {
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
