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
    /// - Returns: nil for a fact that no shop is told.
    private init?(_ event: JournalEvent, of order: OrderState, entry: EntryKind?) {
        guard let status = order.status, let amount = order.offer?.totals.amount else { return nil }
        let word: WebhookEvent
        var payment: Payment?
        switch (event.fact, entry) {
        case (.orderClosed, _): word = .orderClosed
        case (.payment(let fact), .sale?):
            word = .orderPaid
            payment = Payment(fact, of: order, "succeeded")
        case (.payment(let fact), let kind?):
            guard kind.needsReview else { return nil }
            word = .orderReview
            payment = Payment(fact, of: order, "review", reason: kind.rawValue)
        case (.payment(let fact), nil):
            guard let reason = fact.event.declineReason else { return nil }
            word = .orderDeclined
            payment = Payment(fact, of: order, "declined", reason: reason)
        case (.orderOpened, _), (.orderRepriced, _), (.orderFinalised, _), (.commandRejected, _), (.followUp, _),
            (.settlementFileRecorded, _), (.settlementRecorded, _), (.disputeOpened, _),
            (.differenceExplained, _), (.payOutReceived, _):
            return nil
        }
        self.init(
            id: event.id, event: word, order: order.id, merchant: event.fact.merchant, time: event.event.time,
            status: status, amount: amount, payment: payment)
    }
}

extension WebhookMessage.Payment {
    fileprivate init(_ fact: PaymentFact, of order: OrderState, _ status: String, reason: String? = nil) {
        self.init(
            id: fact.payment, amount: fact.amount, card: order[fact.payment]?.card, status: status, reason: reason)
    }
}

extension JournalEvent {
    /// Facts of one payment are applied in the order of their transitions, a closing behind them.
    fileprivate var step: Int64 {
        if case .payment(let fact) = fact { fact.transition } else { .max }
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
