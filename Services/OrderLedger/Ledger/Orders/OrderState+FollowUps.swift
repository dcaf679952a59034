import Contracts

extension OrderState {
    /// Applies a fact of a capture, void or refund that is not early.
    ///
    /// Limits are the gateway's to check: what the acquirer did is booked, and the audit compares it with the limits.
    mutating func apply(_ fact: FollowUpFact) throws(FoldError) -> [Booking] {
        guard let payment = self[fact.payment], let charge = payment.charge else {
            throw FoldError(.illegalTransition, "a \(fact.kind.rawValue) of a payment without money")
        }
        let operation = fact.operation
        let index = followUps.firstIndex { $0.operation == operation }
        try check(fact, after: index.map { followUps[$0] }, of: payment, charge)
        var next = index.map { followUps[$0] } ?? FollowUpState(fact)
        next.apply(fact)
        let bookings = next.status == .succeeded ? try book(&next, of: payment) : []
        if let index {
            followUps[index] = next
        } else {
            followUps.append(next)
            followUps.sort { $0.operation < $1.operation }
        }
        return bookings
    }

    private func check(
        _ fact: FollowUpFact, after known: FollowUpState?, of payment: PaymentState, _ charge: OperationKind
    ) throws(FoldError) {
        let next = FollowUpStatus(fact.event)
        guard fact.transition == (known?.transition ?? 0) &+ 1, FollowUpStatus.allows(next, after: known?.status) else {
            throw FoldError(
                .illegalTransition,
                "\(fact.kind.rawValue) \(next.rawValue) as transition \(fact.transition) cannot follow "
                    + (known.map { "\($0.status.rawValue) as transition \($0.transition)" } ?? "nothing"))
        }
        if let known, known.amount != fact.amount || known.parts != fact.parts || known.target != fact.target {
            throw FoldError(.offerDiffers, "a \(fact.kind.rawValue) never changes its amount, its parts or its target")
        }
        guard fact.amount.currency == payment.amount.currency else {
            throw FoldError(.offerDiffers, "a \(fact.kind.rawValue) is in the currency of its payment")
        }
        switch (fact.kind, fact.target) {
        case (.capture, _):
            guard charge == .authorisation else { throw FoldError(.illegalTransition, "a sale is not captured") }
        case (.void, .sale), (.void, .authorisation):
            guard fact.target == charge else {
                throw FoldError(.illegalTransition, "the payment is no \(fact.target?.rawValue ?? "charge")")
            }
            guard fact.amount == payment.amount else {
                throw FoldError(.offerDiffers, "a void undoes all of the payment")
            }
        case (.void, _), (.refund, _): break
        }
    }

    /// The entries of a follow-up that succeeded.
    private mutating func book(_ followUp: inout FollowUpState, of payment: PaymentState) throws(FoldError) -> [Booking]
    {
        let before = amounts(of: payment.payment)
        let account = owing(payment)
        func booking(_ kind: EntryKind, _ movement: Movement) -> Booking {
            Booking(kind, of: payment.payment, movement)
        }
        let hold = Movement.held(payment.amount)
        switch (followUp.kind, followUp.target) {
        case (.capture, _):
            let taken: Movement
            if let account {
                taken = .received(followUp.amount, owedBy: account)
            } else {
                let parts = try captured(followUp, payment)
                followUp.booked = parts
                taken = .taken(parts)
            }
            return [booking(.capture, taken)]
                + (before?.isHeld == true ? [booking(.holdReleased, .reversed(hold))] : [])
        case (.refund, _):
            guard account == nil else {
                return [booking(.dueRefund, .reversed(.received(followUp.amount, owedBy: account ?? .refundsDue)))]
            }
            let parts = try refunded(followUp, payment)
            followUp.booked = parts
            return [booking(.refund, .reversed(.taken(parts)))]
        case (.void, .capture):
            guard
                let index = followUps.firstIndex(where: {
                    $0.isOpenCapture && $0.payment == payment.payment && $0.amount == followUp.amount
                })
            else {
                throw FoldError(.illegalTransition, "the payment has no capture of this amount to undo")
            }
            followUps[index].voidedBy = followUp.operation
            let taken: Movement =
                followUps[index].booked.map { .taken($0) }
                ?? .received(followUp.amount, owedBy: account ?? .refundsDue)
            return [booking(.captureVoided, .reversed(taken))]
                + (amounts(of: payment.payment)?.isHeld == true ? [booking(.hold, hold)] : [])
        case (.void, .sale):
            guard before?.isVoided != true else { throw FoldError(.illegalTransition, "the sale was undone before") }
            let taken: Movement
            if let account {
                taken = .received(payment.amount, owedBy: account)
            } else {
                taken = .taken(try paidOffer(payment).totals)
            }
            return [booking(.saleVoided, .reversed(taken))]
        case (.void, _):
            return before?.isHeld == true ? [booking(.holdReleased, .reversed(hold))] : []
        }
    }

    /// The parts of a capture: those that the shop gave, else each part of the offer in proportion.
    private func captured(_ capture: FollowUpState, _ payment: PaymentState) throws(FoldError) -> OfferTotals {
        let offer = try paidOffer(payment)
        let parts = capture.parts ?? offer.totals.parts(of: capture.amount.minorUnits)
        guard let parts, PostingRules.canPost(parts) else {
            throw FoldError(.offerDiffers, "the capture cannot be booked: its parts are too large")
        }
        return parts
    }

    /// The parts of a refund: those that the shop gave, if so much of each is left, else what is left in proportion.
    private func refunded(_ refund: FollowUpState, _ payment: PaymentState) throws(FoldError) -> OfferTotals {
        let left = left(of: payment)
        if let parts = refund.parts, PostingRules.canPost(parts), left?.hasLeft(parts) == true { return parts }
        let parts = left.map { $0.parts(of: refund.amount.minorUnits) } ?? .goods(refund.amount)
        guard let parts, PostingRules.canPost(parts) else {
            throw FoldError(.offerDiffers, "the refund cannot be booked: its parts are too large")
        }
        return parts
    }

    /// What was taken for the order by a payment and not given back; nil when nothing is left.
    func left(of payment: PaymentState) -> OfferTotals? {
        let own = followUps.filter { $0.payment == payment.payment && $0.status == .succeeded }
        var left: OfferTotals?
        if payment.charge == .sale {
            left = own.contains { $0.kind == .void } ? nil : offer(payment.revision)?.totals
        } else {
            for case let (capture, parts?) in own.map({ ($0, $0.booked) }) where capture.isOpenCapture {
                left = left.map { $0.adding(parts) ?? $0 } ?? parts
            }
        }
        for case let (refund, parts?) in own.map({ ($0, $0.booked) }) where refund.kind == .refund {
            left = left?.less(parts)
        }
        return left
    }

    private func paidOffer(_ payment: PaymentState) throws(FoldError) -> OfferFact {
        guard let offer = offer(payment.revision) else {
            throw FoldError(.offerDiffers, "the payment is for a revision that no offer has")
        }
        return offer
    }

    /// The account that owes the money of a payment; nil for the payment that the order belongs to.
    private func owing(_ payment: PaymentState) -> Account? {
        if payment.payment == paidBy { return nil }
        return payment.payment == unallocated ? .unallocatedReceipts : .refundsDue
    }
}
