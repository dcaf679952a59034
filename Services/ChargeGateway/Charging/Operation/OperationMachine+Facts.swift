import Contracts

extension OperationMachine {
    /// Records a fact of a charge: the next transition, without a gap.
    mutating func record(_ charge: Charge, _ event: PaymentEvent, _ actions: inout [Action]) {
        state.transition += 1
        actions.append(
            .record(
                .payment(
                    PaymentFact(
                        order: charge.order, merchant: charge.merchant, payment: charge.payment, kind: charge.kind,
                        operation: charge.operation, transition: state.transition, revision: charge.revision,
                        amount: charge.amount, event: event))))
    }

    /// Records a fact of a follow-up.
    mutating func record(_ followUp: FollowUp, _ event: FollowUpEvent, _ actions: inout [Action]) {
        state.transition += 1
        actions.append(
            .record(
                .followUp(
                    FollowUpFact(
                        order: followUp.order, merchant: followUp.merchant, payment: followUp.payment,
                        kind: followUp.kind, target: followUp.target, cause: followUp.cause,
                        causedAt: followUp.causedAt, transition: state.transition, amount: followUp.amount,
                        parts: followUp.parts, event: event))))
    }

    /// Records what both kinds of subjects have a word for.
    mutating func record(payment: PaymentEvent, followUp event: FollowUpEvent, _ actions: inout [Action]) {
        switch subject {
        case .charge(let charge): record(charge, payment, &actions)
        case .followUp(let followUp): record(followUp, event, &actions)
        }
    }

    func alarm(_ kind: Alarm.Kind, _ reason: String, _ actions: inout [Action]) {
        actions.append(.alarm(Alarm(kind, order: subject.order, payment: subject.payment, reason: reason)))
    }

    func contradict(_ reason: String, _ actions: inout [Action]) {
        alarm(.contradiction, reason, &actions)
    }
}
