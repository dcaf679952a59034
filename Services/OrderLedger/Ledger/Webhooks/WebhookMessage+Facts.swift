import Contracts

extension WebhookMessage {
    /// The messages of a record that was folded, in the order of the facts that it applied.
    ///
    /// - Parameters:
    ///   - row: what became of the record.
    ///   - event: its fact.
    ///   - parked: the facts of the order that waited before it; those that it released are told with it.
    ///   - order: the order after it.
    public static func messages(
        of row: JournalRow, _ event: JournalEvent, parked: [JournalEvent], order: OrderState
    ) -> [WebhookMessage] {
        guard row.disposition == .applied else { return [] }
        let refused = Set(row.faults.map(\.source))
        let released = parked.filter { !order.parked.contains($0) && !refused.contains($0.position) }
        return ([event] + released.sorted { $0.step < $1.step }).compactMap { applied in
            WebhookMessage(applied, of: order, entry: row.entries.first { $0.cause == applied.id }?.kind)
        }
    }

    /// - Parameter entry: how the books classify the money that the fact moved; nil when it moved none.
    /// - Returns: nil for a fact of which no shop is told.
    private init?(_ event: JournalEvent, of order: OrderState, entry: EntryKind?) {
        guard let status = order.status, let amount = order.offer?.totals.amount else { return nil }
        let content: (event: WebhookEvent, payment: Payment?, followUp: FollowUp?)
        switch event.fact {
        case .orderClosed: content = (.orderClosed, nil, nil)
        case .payment(let fact):
            guard let (word, payment) = Self.payment(fact, of: order, entry) else { return nil }
            content = (word, payment, nil)
        case .followUp(let fact):
            guard let word = fact.webhook else { return nil }
            let payment = order[fact.payment].map { state in
                Payment(
                    id: state.payment, amount: state.amount, card: state.card,
                    status: state.needsReview(paidBy: order.paidBy) ? "review" : state.status.rawValue, reason: nil)
            }
            content = (word, payment, order.followUps.first { $0.operation == fact.operation }.map { .operation($0) })
        case .commandRejected(let rejected):
            guard let kind = rejected.followUp else { return nil }
            content = (.orderFollowUpFailed, nil, .rejected(kind, rejected))
        case .orderOpened, .orderRepriced, .orderFinalised, .settlementFileRecorded, .settlementRecorded,
            .disputeOpened, .differenceExplained, .payOutReceived:
            return nil
        }
        self.init(
            id: event.id, event: content.event, order: order.id, merchant: event.fact.merchant, time: event.event.time,
            status: status, amount: amount, payment: content.payment,
            amounts: Self.amounts(of: event.fact, order), followUp: content.followUp)
    }

    private static func payment(
        _ fact: PaymentFact, of order: OrderState, _ entry: EntryKind?
    ) -> (WebhookEvent, Payment)? {
        switch (fact.event, entry) {
        case (_, let kind?) where kind.needsReview:
            (.orderReview, Payment(fact, of: order, "review", reason: kind.rawValue))
        case (.authorised, _), (_, .hold?): (.orderAuthorised, Payment(fact, of: order, "authorised"))
        case (.authorisationExpired, _) where order[fact.payment].map(order.isTaking) == true:
            (.orderAuthorisationExpired, Payment(fact, of: order, "authorisationExpired"))
        case (_, .sale?): (.orderPaid, Payment(fact, of: order, "succeeded"))
        // A late hold is voided by itself: no shop has heard of it.
        case (_, .some): nil
        case (_, nil):
            fact.event.declineReason.map { (.orderDeclined, Payment(fact, of: order, "declined", reason: $0)) }
        }
    }

    /// What became of the money of the payment that a fact is about; nil for one that says nothing of it.
    private static func amounts(of fact: Fact, _ order: OrderState) -> PaymentAmounts? {
        switch fact {
        case .followUp(let fact): order.amounts(of: fact.payment)
        case .payment(let fact) where order[fact.payment]?.charge == .authorisation: order.amounts(of: fact.payment)
        default: nil
        }
    }
}

extension WebhookMessage.Payment {
    fileprivate init(_ fact: PaymentFact, of order: OrderState, _ status: String, reason: String? = nil) {
        self.init(
            id: fact.payment, amount: fact.amount, card: order[fact.payment]?.card, status: status, reason: reason)
    }
}

extension JournalEvent {
    /// Facts of one payment are applied in the order of their transitions, a closing behind them; what follows a payment
    /// behind those.
    fileprivate var step: Int64 {
        switch fact {
        case .payment(let fact): fact.transition
        case .followUp(let fact): Int64.max / 2 + fact.transition
        default: .max
        }
    }
}

extension FollowUpFact {
    /// What a shop is told of it; nil for a step that decides nothing.
    fileprivate var webhook: WebhookEvent? {
        switch event {
        case .accepted, .unknown: nil
        case .succeeded: done
        case .resolved(let resolution): resolution.outcome == .paid ? done : failed
        case .failed: failed
        case .conflicted: .orderFollowUpFailed
        }
    }

    private var done: WebhookEvent? {
        switch kind {
        case .capture: .orderCaptured
        case .refund: .orderRefunded
        // A hold that nobody asked for ends without a word, as it began.
        case .void: target == .authorisation && cause.command == nil ? nil : .orderVoided
        }
    }

    /// A refund follows a void of money by itself: it tells how that ended.
    private var failed: WebhookEvent? { kind == .void && target != .authorisation ? nil : .orderFollowUpFailed }
}

extension CommandRejected {
    /// What the command asked for after the payment; nil for another command.
    fileprivate var followUp: FollowUpKind? {
        switch CommandType(rawValue: commandType) {
        case .capture: .capture
        case .void: .void
        case .refund: .refund
        case .charge, .cancel, .expire, nil: nil
        }
    }
}

extension PaymentEvent {
    /// Why the payment has ended without money; nil when it has not. An operator's own words stay in the books.
    fileprivate var declineReason: String? {
        switch self {
        case .declined(let reason, _): reason.rawValue
        case .notCharged: "notCharged"
        case .resolved(let resolution): resolution.outcome == .notCharged ? "notCharged" : nil
        case .accepted, .refused, .authorised, .authorisationExpired, .succeeded, .unknown, .conflicted, .lateSuccess,
            .lateAuthorised:
            nil
        }
    }
}
