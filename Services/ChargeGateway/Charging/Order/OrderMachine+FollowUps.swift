import Contracts

/// Captures, voids and refunds: whether the shop's command can be done, and what follows from what.
extension OrderMachine {
    /// What becomes of a command.
    private enum Decision {
        case begin(FollowUp)
        case reject(CommandRejected.Reason)
    }

    /// Takes a command; each is answered once.
    mutating func follow(
        _ command: FollowUpRequested, hasRoute: Bool, mayHaveBeenSent: Bool, at time: Timestamp
    ) -> [Action] {
        precondition(command.order == order, "a command is taken to its own order")
        guard !answeredCommands.contains(command.command) else { return [] }
        answeredCommands.append(command.command)
        // What a lost database decided, it decided soon after the command.
        switch decide(command, hasRoute: hasRoute || mayHaveBeenSent, at: mayHaveBeenSent ? command.requestedAt : time)
        {
        case .begin(let followUp):
            // A lost database may have begun others that are live again now: beside them nothing is sent.
            return begin(followUp, at: time, mayHaveBeenSent ? .mayBeSentNow : nil)
        case .reject(let reason):
            if mayHaveBeenSent, let followUp = suspect(command) { return begin(followUp, at: time, .mayNotBeSentNow) }
            return [
                .record(
                    .commandRejected(
                        CommandRejected(
                            order: order, merchant: command.merchant, command: command.command,
                            commandType: command.type.rawValue, reason: reason)))
            ]
        }
    }

    private mutating func begin(
        _ followUp: FollowUp, at time: Timestamp, _ suspicion: OperationMachine.Suspicion?
    ) -> [Action] {
        let (machine, actions) = OperationMachine.begin(followUp, at: time, suspicion, policy: policy)
        if suspicion == .mayNotBeSentNow {
            // The lost database may have ended those beside it before it began this one: none of them is sent any more.
            for index in followUps.indices
            where followUps[index].subject.payment == followUp.payment && followUps[index].state.phase.isLive {
                followUps[index].giveUpAttempts(at: time)
            }
        }
        followUps.append(machine)
        return actions
    }

    /// What became of the money of a payment; nil for one that the order does not know.
    public func balance(of payment: PaymentID) -> PaymentBalance? {
        operations.first { $0.subject.payment == payment }.flatMap { PaymentBalance($0, followUps: followUps) }
    }

    private func decide(_ command: FollowUpRequested, hasRoute: Bool, at time: Timestamp) -> Decision {
        guard let balance = balance(of: command.payment), balance.charge.merchant == command.merchant else {
            return .reject(.paymentNotCharged)
        }
        guard !balance.state.phase.isLive else { return .reject(.chargeInProgress) }
        guard balance.hasSucceeded, let whole = balance.whole else { return .reject(.paymentNotCharged) }
        guard command.amount.map({ $0.currency == balance.charge.amount.currency }) ?? true else {
            return .reject(.currencyDiffers)
        }
        guard !balance.isBusy, !balance.awaitsNumber, !awaitsReturn(of: command.payment) else {
            return .reject(.operationInProgress)
        }
        guard hasRoute, policy.supports(command.kind.operation, at: whole.reference) else { return .reject(.noRoute) }
        return switch command.kind {
        case .capture: capture(command, balance, whole, at: time)
        case .void: void(command, balance, whole, at: time)
        case .refund: refund(command, balance, at: time)
        }
    }

    private func capture(
        _ command: FollowUpRequested, _ balance: PaymentBalance, _ hold: PaymentBalance.Original, at time: Timestamp
    ) -> Decision {
        guard balance.charge.kind == .authorisation, balance.state.phase != .lateSuccess, !balance.isVoided,
            balance.capture == nil, let amount = command.amount
        else { return .reject(.notCapturable) }
        guard balance.state.phase == .succeeded, time < hold.reference.time + policy.holdLife else {
            return .reject(.authorisationExpired)
        }
        guard Int128(amount.minorUnits) * 100 <= Int128(hold.amount) * Int128(policy.capturePercent) else {
            return .reject(.amountAboveHold)
        }
        return .begin(followUp(.command(command), .capture, of: hold, amount.minorUnits, balance, command.parts))
    }

    private func void(
        _ command: FollowUpRequested, _ balance: PaymentBalance, _ whole: PaymentBalance.Original, at time: Timestamp
    ) -> Decision {
        guard !balance.isVoided else { return .reject(.nothingLeft) }
        if let taken = balance.taken {
            guard balance.refundable > 0 else { return .reject(.nothingLeft) }
            // A void names the acquirer's number of what it undoes; what succeeded before it was kept has none.
            if time < policy.dayEnd(of: taken.reference.time), balance.refunded == 0, taken.serial != nil {
                return .begin(followUp(.command(command), .void, of: taken, taken.amount, balance))
            }
            guard time < taken.reference.time + policy.refundLife else { return .reject(.refundTooLate) }
            return .begin(followUp(.command(command), .refund, of: taken, balance.refundable, balance))
        }
        guard balance.state.phase != .expired, time < whole.reference.time + policy.holdLife else {
            return .reject(.authorisationExpired)
        }
        return .begin(followUp(.command(command), .void, of: whole, whole.amount, balance))
    }

    private func refund(_ command: FollowUpRequested, _ balance: PaymentBalance, at time: Timestamp) -> Decision {
        guard let taken = balance.taken, let amount = command.amount else {
            return .reject(balance.isVoided && balance.charge.kind == .sale ? .nothingLeft : .paymentNotCharged)
        }
        guard balance.refundable > 0 else { return .reject(.nothingLeft) }
        guard amount.minorUnits <= balance.refundable else { return .reject(.amountAboveRefundable) }
        guard time < taken.reference.time + policy.refundLife else { return .reject(.refundTooLate) }
        return .begin(followUp(.command(command), .refund, of: taken, amount.minorUnits, balance, command.parts))
    }

    /// What a lost database may have begun for a command that cannot be begun now: it is asked for, and never sent. If it was
    /// not begun, the settlement files prove that.
    private func suspect(_ command: FollowUpRequested) -> FollowUp? {
        guard let balance = balance(of: command.payment), balance.charge.merchant == command.merchant,
            let whole = balance.whole, command.amount.map({ $0.currency == balance.charge.amount.currency }) ?? true,
            balance.charge.kind == .authorisation || command.kind != .capture
        else { return nil }
        let original = balance.capture ?? whole
        return followUp(
            .command(command), command.kind, of: original, command.amount?.minorUnits ?? original.amount, balance,
            command.parts)
    }

    /// Why something follows, with its time.
    private struct Cause {
        let cause: FollowUpCause
        let time: Timestamp

        static func command(_ command: FollowUpRequested) -> Cause {
            Cause(cause: command.cause, time: command.requestedAt)
        }
    }

    private func followUp(
        _ cause: Cause, _ kind: FollowUpKind, of original: PaymentBalance.Original, _ amount: Int64,
        _ balance: PaymentBalance, _ parts: OfferTotals? = nil
    ) -> FollowUp {
        let charge = balance.charge
        return FollowUp(
            order: order, payment: charge.payment, merchant: charge.merchant, kind: kind,
            target: kind == .void ? original.kind : nil, cause: cause.cause, causedAt: cause.time,
            amount: Money(minorUnits: amount, currency: charge.amount.currency), parts: parts,
            original: original.reference, originalSerial: original.serial, attempt: 0)
    }

    /// What follows by itself when a charge has become a late success: all of it is given back, or the hold voided.
    mutating func returnLateSuccess(of index: Int, at time: Timestamp) -> [Action] {
        let operation = operations[index]
        guard operation.state.phase == .lateSuccess, let balance = PaymentBalance(operation, followUps: followUps),
            let whole = balance.whole
        else { return [] }
        let cause = Cause(cause: .lateSuccess(balance.charge.payment), time: whole.reference.time)
        let kind: FollowUpKind = balance.charge.kind == .sale ? .refund : .void
        let next = followUp(cause, kind, of: whole, whole.amount, balance)
        guard self[next.operation] == nil else { return [] }
        return begin(next, at: time, suspicion(of: operation.state, beside: balance))
    }

    /// How what follows by itself is begun after a recovery. Where other money was given back, or may have been, a lost
    /// database may have ended this one before: it is asked for, and never sent.
    private func suspicion(
        of state: OperationState, beside balance: PaymentBalance
    ) -> OperationMachine.Suspicion? {
        guard state.isRecovered else { return nil }
        return balance.isBusy || balance.refunded > 0 ? .mayNotBeSentNow : .mayBeSentNow
    }

    /// Whether a recovery has not yet looked whether a lost database gave the money of a payment back by itself.
    private func awaitsReturn(of payment: PaymentID) -> Bool {
        func isLost(_ kind: FollowUpKind, _ cause: FollowUpCause) -> Bool {
            self[OperationID(kind, of: payment, order: order, cause: cause)] == nil
        }
        return (operations + followUps).contains { operation in
            guard operation.subject.payment == payment, operation.state.isRecovered, operation.state.next != nil else {
                return false
            }
            return switch (operation.state.phase, operation.subject.kind) {
            case (.lateSuccess, .sale): isLost(.refund, .lateSuccess(payment))
            case (.lateSuccess, .authorisation): isLost(.void, .lateSuccess(payment))
            case (.declined, .void):
                operation.subject.followUp.map { $0.target != .authorisation && isLost(.refund, $0.cause) } ?? false
            default: false
            }
        }
    }

    /// A void that had failed was done after all: what followed it is not sent any more, if it was not sent yet.
    mutating func giveUpReturns(after index: Int, at time: Timestamp) {
        guard let void = followUps[index].subject.followUp, void.kind == .void else { return }
        for other in followUps.indices
        where followUps[other].subject.payment == void.payment && followUps[other].state.phase.isLive {
            followUps[other].giveUpAttempts(at: time)
        }
    }

    /// What follows by itself when a void has failed: all that is left is given back, for the same cause.
    ///
    /// - Parameter before: where it stood. A failure is told once.
    mutating func followFailure(of index: Int, from before: OperationPhase, at time: Timestamp) -> [Action] {
        let void = followUps[index]
        guard void.state.phase == .declined, let failed = void.subject.followUp,
            let balance = balance(of: failed.payment)
        else { return [] }
        guard failed.kind == .void, failed.target != .authorisation else {
            guard failed.cause.command == nil, before != .declined else { return [] }
            return [
                .alarm(
                    Alarm(
                        .refundFailed, order: order, payment: failed.payment,
                        reason: "what succeeded too late could not be given back: the \(failed.kind.rawValue) failed"))
            ]
        }
        guard let taken = balance.taken, balance.refundable > 0, !balance.isBusy || void.state.isRecovered,
            time < taken.reference.time + policy.refundLife
        else { return [] }
        let cause = Cause(cause: failed.cause, time: failed.causedAt)
        let next = followUp(cause, .refund, of: taken, balance.refundable, balance)
        guard self[next.operation] == nil else { return [] }
        return begin(next, at: time, suspicion(of: void.state, beside: balance))
    }
}
