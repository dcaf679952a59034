import Contracts

/// What may follow a payment, as far as the ledger knows. The gateway decides: it knows more, and sees one command after
/// the other.
public struct FollowUpRules: Sendable {
    let order: OrderState
    /// What the final lines cost; nil while the order has none.
    let finalTotals: OfferTotals?

    /// - Parameter finalTotals: of final lines that the fold may not know yet.
    public init(_ order: OrderState, finalTotals: OfferTotals? = nil) {
        self.order = order
        self.finalTotals = order.finalRevision.flatMap { order.offer($0)?.totals } ?? finalTotals
    }

    /// The payment that a request is about.
    ///
    /// - Parameter named: the shop's choice; else the one that the order belongs to.
    public func payment(_ named: PaymentID?) throws(FollowUpRefusal) -> PaymentID {
        guard let payment = named ?? order.paidBy else {
            throw FollowUpRefusal(.orderUnpaid, "no payment holds or took money for this order; cancel closes it")
        }
        switch order[payment]?.status {
        case .succeeded, .lateSuccess, .authorised, .authorisationExpired, .lateAuthorised: return payment
        case .accepted, .unknown, .conflicted:
            throw FollowUpRefusal(.paymentInProgress, "the payment has no outcome yet: repeat the request later")
        case nil, .refused, .declined, .notCharged:
            throw FollowUpRefusal(
                .paymentNotCharged, field: "paymentId", "no payment of this order with this id holds or took money")
        }
    }

    /// What a capture takes.
    ///
    /// - Parameter amount: minor units; nil for what the final lines cost, or for all that is held when there are none.
    public func capture(_ amount: Int64?, of payment: PaymentID) throws(FollowUpRefusal) -> Money {
        let amounts = try idle(payment)
        let held = Money(minorUnits: amounts.authorised, currency: amounts.currency)
        if amounts.isExpired {
            throw FollowUpRefusal(.authorisationExpired, "the hold of \(held) has ended: nothing can be taken of it")
        }
        if amounts.isVoided {
            throw FollowUpRefusal(.paymentVoided, "the hold of \(held) was voided: nothing can be taken of it")
        }
        guard order[payment]?.status == .authorised, amounts.isCapturable else {
            let reason =
                amounts.authorised == 0
                ? "the payment was a sale: its money was taken at once"
                : amounts.captured > 0
                    ? "the payment was captured, and a hold is captured once" : "the hold is undone by itself"
            throw FollowUpRefusal(.notCapturable, reason)
        }
        let wanted = amounts.money(amount ?? due(by: payment)?.total ?? amounts.authorised)
        let limit = Money(
            minorUnits: Self.captureLimit(of: amounts.authorised), currency: amounts.currency)
        guard !PaymentAmounts.isAboveHold(wanted.minorUnits, amounts.authorised) else {
            throw FollowUpRefusal(
                .amountAboveHold, field: "amount", amounts: ["amount": wanted, "authorised": held, "limit": limit],
                "\(wanted) is more than one capture may take of a hold of \(held): \(limit) at most")
        }
        return wanted
    }

    /// What the final lines cost, for the payment that the order belongs to; nil without final lines.
    func due(by payment: PaymentID) -> OfferTotals? { payment == order.paidBy ? finalTotals : nil }

    /// Checks that there is something to undo.
    public func void(_ payment: PaymentID) throws(FollowUpRefusal) {
        let amounts = try idle(payment)
        if amounts.isVoided { throw FollowUpRefusal(.paymentVoided, "the payment was voided before") }
        if amounts.captured > 0 {
            guard amounts.refundable > 0 else { throw Self.nothingLeft(amounts) }
        } else if amounts.isExpired {
            throw FollowUpRefusal(.authorisationExpired, "the hold has ended by itself: there is nothing to undo")
        }
    }

    /// What a refund gives back.
    ///
    /// - Parameter amount: minor units; nil for all that is left.
    public func refund(_ amount: Int64?, of payment: PaymentID) throws(FollowUpRefusal) -> Money {
        let amounts = try idle(payment)
        if amounts.isVoided { throw FollowUpRefusal(.paymentVoided, "the payment was voided: its money is back") }
        guard amounts.captured > 0 else {
            throw FollowUpRefusal(
                .paymentNotCharged,
                "the amount is only held, or no longer: a void releases it; there is nothing to refund")
        }
        guard amounts.refundable > 0 else { throw Self.nothingLeft(amounts) }
        let wanted = Money(minorUnits: amount ?? amounts.refundable, currency: amounts.currency)
        let left = Money(minorUnits: amounts.refundable, currency: amounts.currency)
        guard wanted.minorUnits <= left.minorUnits else {
            throw FollowUpRefusal(
                .amountAboveRefundable, field: "amount",
                amounts: ["amount": wanted, "refundable": left, "refunded": amounts.money(amounts.refunded)],
                "\(wanted) is more than the \(left) that are left of \(amounts.money(amounts.captured))")
        }
        return wanted
    }

    /// Checks that the order takes final lines: once, and while its amount is held.
    public func finalise(_ request: OfferRequest, _ payment: PaymentID) throws(FollowUpRefusal) {
        guard request.isTotalPending else {
            throw FollowUpRefusal(
                .totalNotPending,
                "the customer agreed to a final total: only an order with pendingTotal gets final lines")
        }
        guard finalTotals == nil else {
            throw FollowUpRefusal(
                .alreadyFinalised,
                "the order has its final lines: a capture without an amount takes what they cost, if none has yet")
        }
        guard payment == order.paidBy else {
            throw FollowUpRefusal(
                .notCapturable, field: "paymentId", "final lines are for the payment that the order belongs to")
        }
        _ = try capture(nil, of: payment)
    }

    /// The payment's amounts, if no operation of it is open.
    private func idle(_ payment: PaymentID) throws(FollowUpRefusal) -> PaymentAmounts {
        guard let amounts = order.amounts(of: payment) else {
            throw FollowUpRefusal(.paymentNotCharged, field: "paymentId", "the order has no payment of this id")
        }
        guard !amounts.hasLiveFollowUp else {
            throw FollowUpRefusal(
                .operationInProgress,
                amounts: [
                    "refundable": amounts.money(amounts.refundable),
                    "refundsInProgress": amounts.money(amounts.refundsInProgress),
                ],
                "another capture, void or refund of the payment has no outcome yet: repeat the request later")
        }
        return amounts
    }

    /// The most that one capture takes: the largest amount that is not above the hold (``PaymentAmounts/isAboveHold(_:_:)``).
    static func captureLimit(of hold: Int64) -> Int64 {
        let (high, low) = hold.multipliedFullWidth(by: 115)
        return high < 50 ? Int64(100).dividingFullWidth((high, low)).quotient : .max
    }

    private static func nothingLeft(_ amounts: PaymentAmounts) -> FollowUpRefusal {
        FollowUpRefusal(
            .nothingLeft,
            amounts: [
                "captured": amounts.money(amounts.captured), "refunded": amounts.money(amounts.refunded),
            ], "everything that was taken is given back")
    }
}

extension PaymentAmounts {
    fileprivate func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }
}
