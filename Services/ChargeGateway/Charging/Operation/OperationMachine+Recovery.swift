import Contracts

/// What an operation becomes when the database has lost its last transactions, and the journal has not.
extension OperationMachine {
    /// That a command may have been taken, and its charge sent, by a database that was lost.
    enum Suspicion {
        /// When the acquirer does not know it, it is sent.
        case mayBeSentNow
        /// Another charge of the order is live.
        case mayNotBeSentNow
    }

    /// An operation of which only the journal knows: its card data are gone, and it was perhaps sent.
    ///
    /// - Parameter time: when the fact was told.
    init(restoring fact: PaymentFact, toldAt time: Timestamp, policy: ChargingPolicy) {
        var (card, route, reference): (CardSummary?, RouteReference?, AcquirerReference?)
        if case .accepted(let summary, let way, let key) = fact.event { (card, route, reference) = (summary, way, key) }
        let signedAt = reference?.time ?? time
        self.init(
            .charge(
                Charge(
                    order: fact.order, payment: fact.payment, merchant: fact.merchant, kind: fact.kind,
                    revision: fact.revision,
                    // Nothing is ever sent without card data, so that the ticket's end, which the journal does not tell,
                    // does not matter.
                    amount: fact.amount, expiresAt: signedAt, signedAt: signedAt,
                    // Nor does it tell whether Apple signed the order. Where no other charge can have been sent, it did.
                    isOrderSigned: reference.map { policy.acquirersNamingNoOrder.contains($0.acquirer) } ?? false,
                    card: card, route: route, reference: reference)),
            state: OperationState(phase: .unknown), policy: policy)
        state.isRecovered = true
        state.openSince = time
        _ = restore(fact)
    }

    /// Takes up a fact of the journal.
    ///
    /// - Returns: an alarm when the operation's rows say something else than was told; the journal then wins, because
    ///   the books and the devices have it.
    mutating func restore(_ fact: PaymentFact) -> [Action] {
        var actions: [Action] = []
        let isKnown = fact.transition <= state.transition
        if fact.amount != subject.amount || fact.merchant != subject.merchant || fact.kind != subject.kind {
            contradict("the journal tells of another amount, merchant or kind", &actions)
        }
        if isKnown, !agrees(with: fact) {
            contradict(
                "the journal tells '\(fact.event.name)' of a payment that is \(state.phase.rawValue) here", &actions)
        } else if isKnown {
            return actions
        }
        state.transition = max(state.transition, fact.transition)
        switch fact.event {
        case .accepted: if isKnown { reopen() }
        case .unknown:
            state.isUnknownPublished = true
            if isKnown { reopen() } else { becomeUnknown(at: state.openSince ?? subject.keyTime) }
        case .refused: end(.refused)
        case .succeeded(let result, _, _), .authorised(let result, _, _, _): end(.succeeded, result)
        case .authorisationExpired: end(.expired)
        case .declined, .notCharged: end(.declined)
        case .conflicted: end(.conflicted)
        case .lateSuccess(let result), .lateAuthorised(let result):
            end(.lateSuccess, result)
            // One more query is due: with that step the order gives the money back, where that was lost as well.
            state.isRecovered = true
            askSoon(at: subject.keyTime)
        case .resolved(let resolution):
            end(resolution.outcome == .paid ? .succeeded : .declined)
            askForNumber(at: subject.keyTime)
        }
        return actions
    }

    mutating func end(_ phase: OperationPhase, _ result: AcquirerResult) {
        end(phase)
        state.serial = result.serial ?? state.serial
    }

    /// An end that the journal does not know is none, and neither is "nothing was sent": a query decides.
    mutating func reopen() {
        state.phase = .unknown
        state.openSince = state.openSince ?? subject.keyTime
        state.next = nil
    }

    /// Whether a fact that was told before can lie on the way to where the operation stands.
    private func agrees(with fact: PaymentFact) -> Bool {
        // Each end is told under a number of its own.
        let isLast = fact.transition == state.transition
        return switch fact.event {
        case .accepted: state.phase != .refused && (!isLast || state.phase.isOpen)
        case .unknown: state.isUnknownPublished && state.phase != .created && (!isLast || state.phase.isOpen)
        case .refused: state.phase == .refused || state.phase == .lateSuccess
        case .succeeded: state.phase == .succeeded
        case .authorised: state.phase == .succeeded || (state.phase == .expired && !isLast)
        case .authorisationExpired: state.phase == .expired
        case .declined, .notCharged: state.phase == .declined || state.phase == .lateSuccess
        case .conflicted: state.phase == .conflicted
        case .lateSuccess: state.phase == .lateSuccess
        case .lateAuthorised: state.phase == .lateSuccess || (state.phase == .expired && !isLast)
        case .resolved(let resolution):
            switch resolution.outcome {
            case .paid: state.phase == .succeeded || state.phase == .lateSuccess || state.phase == .expired
            case .notCharged: state.phase == .declined || state.phase == .lateSuccess
            }
        }
    }

    /// From here on a send may have happened that nobody remembers: a query decides, and it comes first.
    mutating func suspectForgottenSends(at time: Timestamp) {
        guard state.phase.isOpen else { return }
        state.isRecovered = true
        state.isSending = false
        becomeUnknown(at: time)
        if var followUp = subject.followUp {
            // The clock of the database that was lost may have been ahead, and in the next slot.
            let latest = FollowUpKey.attempt(at: time + policy.clockDifference, causedAt: followUp.causedAt)
            state.lastSuspect = max(latest, followUp.attempt)
            followUp.attempt = 0
            subject = .followUp(followUp)
            // Files lacked the keys that were known then. Of those that may have been added since they say nothing.
            state.absentSince = nil
        }
        // Without a key nobody can be asked.
        if subject.reference != nil { askSoon(at: time) }
    }

    /// Sends no more, because another charge of the order may pay or has paid it.
    mutating func giveUpSending(at time: Timestamp) {
        guard state.isRecovered, state.phase.isOpen, state.phase != .created else { return }
        state.holdsCard = false
        if state.next?.kind == .send { planQuery(after: time) }
    }

    /// Takes the card data of a command that is read again, for an operation that the journal gave back without them.
    ///
    /// What counts as paid does not change by it: the operation's row keeps whether Apple signed the order.
    ///
    /// - Returns: whether it took them, so that it may be sent under its key when the acquirer does not know it.
    mutating func adopt(_ charge: Charge, at time: Timestamp) -> Bool {
        guard let before = subject.charge, state.isRecovered, state.phase == .unknown, !state.holdsCard,
            charge.card != nil, charge.reference == before.reference, charge.amount == before.amount,
            charge.kind == before.kind, charge.isOrderSigned || !before.isOrderSigned
        else { return false }
        var adopted = charge
        adopted.isOrderSigned = before.isOrderSigned
        subject = .charge(adopted)
        guard canStillSend(at: time) else {
            subject = .charge(before)
            return false
        }
        state.holdsCard = true
        return true
    }
}
