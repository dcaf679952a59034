import Contracts

extension OrderState {
    /// Whether `fact` must wait: its order is not opened, or its offer or its payment's earlier facts have not come.
    ///
    /// Kafka keeps order for each producer only. Offers come from the ledger, payments from the gateway.
    func isEarly(_ fact: Fact) -> Bool {
        switch fact {
        case .orderOpened: false
        case .orderRepriced(let offer): offer.revision > offers.count + 1 || offers.isEmpty
        case .orderFinalised(let offer):
            offer.revision > offers.count + 1 || !payments.contains { isTaking($0) && $0.charge == .authorisation }
        case .orderClosed, .commandRejected: offers.isEmpty
        case .followUp(let fact):
            self[fact.payment]?.status.isFinal != true
                || fact.transition > (followUps.first { $0.operation == fact.operation }?.transition ?? 0) &+ 1
        case .settlementFileRecorded, .settlementRecorded, .disputeOpened, .differenceExplained, .payOutReceived:
            fact.settledOperation.map { !knows($0) } ?? false
        case .payment(let payment):
            offers.count < payment.revision || payment.transition > (self[payment.payment]?.transition ?? 0) &+ 1
        }
    }

    /// Applies a fact that is not early.
    ///
    /// - Returns: the entries to make for it.
    /// - Throws: before anything has changed: the fold keeps the order as it is then.
    mutating func apply(_ fact: Fact, merchant: MerchantID) throws(FoldError) -> [Booking] {
        if let own = self.merchant, own != merchant {
            throw FoldError(.merchantDiffers, "the fact names another merchant than the order's")
        }
        switch fact {
        case .orderOpened(let offer), .orderRepriced(let offer):
            try apply(offer)
        case .orderClosed(let closing):
            guard self.closing == nil else { throw FoldError(.alreadyClosed, "the order was closed before") }
            if let taking = payments.first(where: isTaking) {
                let order = taking.charge == .sale ? "a paid order" : "an authorised order"
                throw FoldError(.alreadyClosed, "\(order) is not closed as \(closing.reason.rawValue)")
            }
            self.closing = closing
        case .commandRejected(let refused):
            refusedCommands.append(refused)
            refusedCommands.sort { $0.command < $1.command }
        case .payment(let payment): return try apply(payment)
        case .followUp(let fact): return try apply(fact)
        case .orderFinalised(let offer):
            guard finalRevision == nil else {
                throw FoldError(.offerOutOfOrder, "the order has its final lines already")
            }
            try apply(offer)
            finalRevision = offer.revision
        case .settlementFileRecorded, .settlementRecorded, .disputeOpened, .differenceExplained, .payOutReceived:
            throw FoldError(.illegalTransition, "a settlement fact is settled, not applied")
        }
        return []
    }

    private mutating func apply(_ offer: OfferFact) throws(FoldError) {
        guard offer.revision == offers.count + 1 else {
            throw FoldError(.offerOutOfOrder, "an offer of this revision is known already")
        }
        guard PostingRules.canPost(offer.totals) else {
            throw FoldError(.offerDiffers, "the offer's amounts cannot be booked: zero, or too large")
        }
        if let first = offers.first {
            guard first.totals.currency == offer.totals.currency, first.partitions == offer.partitions else {
                throw FoldError(.offerDiffers, "currency and partitions of an order never change")
            }
        }
        offers.append(offer.booked)
    }

    private mutating func apply(_ fact: PaymentFact) throws(FoldError) -> [Booking] {
        guard let offer = offer(fact.revision), fact.amount.minorUnits > 0 else {
            throw FoldError(.offerDiffers, "the payment is for a revision that no offer has, or for nothing")
        }
        let index = payments.firstIndex { $0.payment == fact.payment }
        let known = index.map { payments[$0] }
        let next = PaymentStatus(fact)
        guard fact.transition == (known?.transition ?? 0) &+ 1, PaymentStatus.allows(next, after: known?.status) else {
            throw FoldError(
                .illegalTransition,
                "\(next.rawValue) as transition \(fact.transition) cannot follow "
                    + (known.map { "\($0.status.rawValue) as transition \($0.transition)" } ?? "nothing"))
        }
        if let known, known.revision != fact.revision || known.amount != fact.amount {
            throw FoldError(.offerDiffers, "a payment never changes its revision or its amount")
        }
        let bookings = bookings(next, fact, offer)
        if let index {
            payments[index].apply(fact)
        } else {
            payments.append(PaymentState(fact))
            payments.sort { $0.payment < $1.payment }
        }
        switch bookings.first?.kind {
        case .sale, .hold: paidBy = fact.payment
        case .unallocatedSuccess, .unallocatedHold: unallocated = fact.payment
        default: break
        }
        return bookings
    }

    /// How the books classify a fact that says that money moved, or that a hold began or ended.
    private func bookings(_ status: PaymentStatus, _ fact: PaymentFact, _ offer: OfferFact) -> [Booking] {
        func booking(_ kind: EntryKind, _ movement: Movement) -> [Booking] {
            [Booking(kind, of: fact.payment, movement)]
        }
        let isFree = closing == nil && !isTaken
        let isOffer = fact.amount == offer.totals.amount
        switch status {
        case .lateSuccess: return booking(.lateSuccess, .received(fact.amount, owedBy: .refundsDue))
        case .succeeded where !isFree: return booking(.surplusSuccess, .received(fact.amount, owedBy: .refundsDue))
        case .succeeded where isOffer: return booking(.sale, .taken(offer.totals))
        case .succeeded: return booking(.unallocatedSuccess, .received(fact.amount, owedBy: .unallocatedReceipts))
        case .lateAuthorised: return booking(.lateHold, .held(fact.amount))
        case .authorised:
            return booking(!isFree ? .surplusHold : isOffer ? .hold : .unallocatedHold, .held(fact.amount))
        case .authorisationExpired:
            return amounts(of: fact.payment)?.isHeld == true
                ? booking(.holdReleased, .reversed(.held(fact.amount))) : []
        case .accepted, .unknown, .refused, .declined, .notCharged, .conflicted: return []
        }
    }
}
