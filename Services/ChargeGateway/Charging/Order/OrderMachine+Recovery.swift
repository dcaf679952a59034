import Contracts

/// What an order becomes when the database has lost its last transactions: first every fact of the journal is taken up
/// with ``restore(_:toldAt:)``, then ``suspectForgottenSends(at:)`` makes each charge that is still open ask first.
extension OrderMachine {
    /// Takes up a fact of the journal that the order's rows may not know.
    ///
    /// - Parameters:
    ///   - fact: one of the gateway's own, in the order of the journal.
    ///   - time: when it was told.
    /// - Returns: alarms, where rows and journal contradict each other; nothing to send or to tell.
    public mutating func restore(_ fact: Fact, toldAt time: Timestamp) -> [Action] {
        precondition(fact.order == order, "a fact is taken to its own order")
        switch fact {
        case .payment(let payment): return restore(payment, toldAt: time)
        case .orderClosed(let closed):
            if let command = closed.command { answer(command) }
            if closure == nil {
                closure = OrderClosure(
                    reason: closed.reason == .cancelled ? .cancelled : .expired, command: closed.command)
            }
        case .commandRejected(let rejected): answer(rejected.command)
        case .followUp(let followUp): return restore(followUp, toldAt: time)
        case .orderOpened, .orderRepriced, .orderFinalised, .settlementFileRecorded, .settlementRecorded,
            .disputeOpened, .differenceExplained, .payOutReceived:
            break
        }
        return []
    }

    /// Marks each open charge: a process whose intent is lost may have sent it.
    public mutating func suspectForgottenSends(at time: Timestamp) {
        for index in operations.indices { operations[index].suspectForgottenSends(at: time) }
        for index in followUps.indices { followUps[index].suspectForgottenSends(at: time) }
        giveUpContestedReturns(at: time)
        askForLostClose(at: time)
    }

    /// An expiry that waited for a charge is told with the charge's end, but the journal may have the end alone. A query
    /// brings the order its next step, and with that it closes.
    private mutating func askForLostClose(at time: Timestamp) {
        guard pendingExpiry != nil, closure == nil, !hasLiveOperation,
            let index = operations.lastIndex(where: { $0.subject.reference != nil })
        else { return }
        operations[index].askSoon(at: time)
    }

    /// No fact tells which operations are only asked for. Where two of a payment are under way, or one would give back
    /// money that a void has given back, none of them is sent any more.
    private mutating func giveUpContestedReturns(at time: Timestamp) {
        for payment in Set(followUps.map(\.subject.payment)) {
            let live = followUps.indices.filter {
                followUps[$0].subject.payment == payment && followUps[$0].state.phase.isLive
            }
            let returns = live.contains { followUps[$0].subject.kind == .refund }
            guard live.count > 1 || returns && balance(of: payment)?.taken == nil else { continue }
            for index in live { followUps[index].giveUpAttempts(at: time) }
        }
    }

    private mutating func restore(_ fact: PaymentFact, toldAt time: Timestamp) -> [Action] {
        var actions: [Action] = []
        // What held the amount in time closed the order before its end; a hold that came too late closed none.
        let isEndOfKnownHold =
            fact.event.kind == .authorisationExpired && self[fact.operation].map { !$0.state.phase.isOpen } == true
        if let index = operations.firstIndex(where: { $0.subject.operation == fact.operation }) {
            actions = operations[index].restore(fact)
            // The journal knows nothing of the end that closed the order.
            if operations[index].state.phase.isOpen, closure?.reason == .paid, closure?.payment == fact.payment {
                closure = nil
            }
        } else {
            operations.append(OperationMachine(restoring: fact, toldAt: time, policy: policy))
        }
        if fact.event.paysOrder, closure == nil, !isEndOfKnownHold {
            closure = OrderClosure(reason: .paid, payment: fact.payment)
        }
        return actions
    }

    private mutating func restore(_ fact: FollowUpFact, toldAt time: Timestamp) -> [Action] {
        if let command = fact.cause.command { answer(command) }
        if let index = followUps.firstIndex(where: { $0.subject.operation == fact.operation }) {
            return followUps[index].restore(fact)
        }
        guard let followUp = followUp(of: fact) else {
            return [
                .alarm(
                    Alarm(
                        .contradiction, order: order, payment: fact.payment,
                        reason: "the journal tells of a \(fact.kind.rawValue) of a payment that was not charged here"))
            ]
        }
        followUps.append(OperationMachine(restoring: fact, as: followUp, toldAt: time, policy: policy))
        return []
    }

    /// What the journal's fact is about, with the transaction that it follows as the order has it.
    private func followUp(of fact: FollowUpFact) -> FollowUp? {
        guard let balance = balance(of: fact.payment), let whole = balance.whole else { return nil }
        let original = (fact.kind == .refund || fact.target == .capture ? balance.capture : nil) ?? whole
        return FollowUp(
            order: order, payment: fact.payment, merchant: fact.merchant, kind: fact.kind, target: fact.target,
            cause: fact.cause, causedAt: fact.causedAt ?? whole.reference.time, amount: fact.amount,
            parts: fact.parts, original: original.reference, originalSerial: original.serial, attempt: 0)
    }

    private mutating func answer(_ command: CommandID) {
        if !answeredCommands.contains(command) { answeredCommands.append(command) }
    }
}

extension PaymentEvent {
    /// Whether it closes the order, unless something closed it before.
    fileprivate var paysOrder: Bool {
        switch self {
        case .succeeded, .authorised, .authorisationExpired: true
        case .resolved(let resolution): resolution.outcome == .paid
        case .accepted, .refused, .declined, .unknown, .notCharged, .conflicted, .lateSuccess, .lateAuthorised: false
        }
    }
}
