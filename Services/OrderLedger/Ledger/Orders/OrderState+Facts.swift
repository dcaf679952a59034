import Contracts

/// How the books classify a success.
struct Receipt: Hashable {
    let kind: EntryKind
    let payment: PaymentFact
    let offer: OfferFact
}

extension OrderState {
    /// Whether `fact` must wait: its order is not opened, or its offer or its payment's earlier facts have not come.
    ///
    /// Kafka keeps order for each producer only. Offers come from the ledger, payments from the gateway.
    func isEarly(_ fact: Fact) -> Bool {
        switch fact {
        case .orderOpened: false
        case .orderRepriced(let offer), .orderFinalised(let offer):
            offer.revision > offers.count + 1 || offers.isEmpty
        case .orderClosed, .commandRejected: offers.isEmpty
        case .followUp(let fact): self[fact.payment] == nil
        case .settlementFileRecorded, .settlementRecorded, .disputeOpened: false
        case .payment(let payment):
            offers.count < payment.revision || payment.transition > (self[payment.payment]?.transition ?? 0) + 1
        }
    }

    /// Applies a fact that is not early.
    ///
    /// - Returns: the money that moved, if any.
    /// - Throws: before anything has changed: the fold keeps the order as it is then.
    mutating func apply(_ fact: Fact, merchant: MerchantID) throws(FoldError) -> Receipt? {
        if let own = self.merchant, own != merchant {
            throw FoldError(.merchantDiffers, "the fact names another merchant than the order's")
        }
        switch fact {
        case .orderOpened(let offer), .orderRepriced(let offer):
            try apply(offer)
        case .orderClosed(let closing):
            guard self.closing == nil else { throw FoldError(.alreadyClosed, "the order was closed before") }
            if isPaid {
                throw FoldError(.alreadyClosed, "a paid order is not closed as \(closing.reason.rawValue)")
            }
            self.closing = closing
        case .commandRejected(let refused):
            refusedCommands.append(refused)
            refusedCommands.sort { $0.command < $1.command }
        case .payment(let payment): return try apply(payment)
        case .orderFinalised, .followUp, .settlementFileRecorded, .settlementRecorded, .disputeOpened:
            throw FoldError(.illegalTransition, "\(fact.type) is not folded yet")
        }
        return nil
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

    private mutating func apply(_ fact: PaymentFact) throws(FoldError) -> Receipt? {
        guard let offer = offer(fact.revision), fact.amount.minorUnits > 0 else {
            throw FoldError(.offerDiffers, "the payment is for a revision that no offer has, or for nothing")
        }
        let index = payments.firstIndex { $0.payment == fact.payment }
        let known = index.map { payments[$0] }
        let next = PaymentStatus(fact.event)
        guard fact.transition == (known?.transition ?? 0) + 1, PaymentStatus.allows(next, after: known?.status) else {
            throw FoldError(
                .illegalTransition,
                "\(next.rawValue) as transition \(fact.transition) cannot follow "
                    + (known.map { "\($0.status.rawValue) as transition \($0.transition)" } ?? "nothing"))
        }
        if let known, known.revision != fact.revision || known.amount != fact.amount {
            throw FoldError(.offerDiffers, "a payment never changes its revision or its amount")
        }
        let receipt = receipt(next, fact, offer)
        if let index {
            payments[index].apply(fact)
        } else {
            payments.append(PaymentState(fact))
            payments.sort { $0.payment < $1.payment }
        }
        if receipt?.kind == .sale { paidBy = fact.payment }
        return receipt
    }

    /// How the books classify a fact that states that money moved.
    private func receipt(_ status: PaymentStatus, _ fact: PaymentFact, _ offer: OfferFact) -> Receipt? {
        switch status {
        case .lateSuccess: return Receipt(kind: .lateSuccess, payment: fact, offer: offer)
        case .succeeded:
            let isFree = closing == nil && !isPaid
            let kind: EntryKind =
                if !isFree { .surplusSuccess } else { fact.amount == offer.totals.amount ? .sale : .unallocatedSuccess }
            return Receipt(kind: kind, payment: fact, offer: offer)
        default: return nil
        }
    }
}
