import Contracts

/// What becomes of a shop's request that the ledger does not refuse: the command to the gateway, and the order's final
/// offer.
public struct FollowUpDecision: Hashable, Sendable {
    public let kind: FollowUpKind
    public let payment: PaymentID
    /// nil for a void.
    public let amount: Money?
    public let parts: OfferTotals?
    /// The next revision of an order that gets its final lines.
    public let finalOffer: Offer?
}

/// What an order sold, as far as a request needs it.
public struct SoldGoods: Sendable {
    /// The offer that was paid, or that is held; with final lines the final one.
    public let offer: Offer
    /// The revision in force, which may be newer than the paid one: final lines get the next.
    public let newest: Int64
    /// What came back before.
    public let returned: [ReturnedLine]

    public init(_ offer: Offer, newest: Int64, returned: [ReturnedLine] = []) {
        self.offer = offer
        self.newest = newest
        self.returned = returned
    }
}

extension FollowUpRequest.Content {
    /// Whether it can only be decided with the goods of the order.
    public var needsGoods: Bool {
        switch self {
        case .finalise, .refundLines: true
        case .capture, .void, .refund: false
        }
    }
}

extension FollowUpRules {
    /// Decides on a request.
    ///
    /// - Parameter goods: nil where ``FollowUpRequest/Content/needsGoods`` is false.
    /// - Throws: ``FollowUpRefusal``; ``OfferError`` for final lines that cannot be priced.
    public func decide(_ request: FollowUpRequest, _ goods: SoldGoods?) throws -> FollowUpDecision {
        let payment = try payment(request.payment)
        switch (request.content, goods) {
        case (.capture(let wanted), _):
            let amount = try capture(wanted, of: payment)
            // Final lines whose own capture failed are still what is sold.
            let parts = due(by: payment).flatMap { $0.total == amount.minorUnits ? $0 : nil }
            return decision(.capture, payment, amount, parts)
        case (.void, _):
            try void(payment)
            return decision(.void, payment, nil)
        case (.refund(let amount), _):
            return decision(.refund, payment, try refund(amount, of: payment))
        case (.refundLines(let lines), let goods?):
            let parts = try ReturnedGoods(goods.offer, before: goods.returned).parts(of: lines)
            return decision(.refund, payment, try refund(parts.total, of: payment), parts)
        case (.finalise(let final), let goods?):
            let sold = goods.offer
            try finalise(sold.request, payment)
            let request = try final.applied(to: sold.request, shippedBy: sold.choice.shippingMethod)
            let offer = try Offer(request, revision: goods.newest + 1, sold.choice)
            let amount = try capture(offer.totals.total, of: payment)
            return decision(.capture, payment, amount, offer.totals, offer)
        case (.refundLines, nil), (.finalise, nil):
            preconditionFailure("lines are decided on with the goods of the order")
        }
    }

    private func decision(
        _ kind: FollowUpKind, _ payment: PaymentID, _ amount: Money?, _ parts: OfferTotals? = nil,
        _ final: Offer? = nil
    ) -> FollowUpDecision {
        FollowUpDecision(kind: kind, payment: payment, amount: amount, parts: parts, finalOffer: final)
    }
}
