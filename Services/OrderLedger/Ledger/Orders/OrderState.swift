import Contracts

/// An order as the journal describes it. Only the fold writes it; replay rebuilds it.
public struct OrderState: Hashable, Sendable {
    public let id: OrderID
    /// The offers, revision 1 first, without gaps; empty until `order.opened` has come.
    public internal(set) var offers: [OfferFact]
    /// In the order of their ids.
    public internal(set) var payments: [PaymentState]
    /// Captures, voids and refunds, in the order of their ids.
    public internal(set) var followUps: [FollowUpState]
    /// The revision of its final lines, for an order whose total was pending.
    public internal(set) var finalRevision: Int64?
    /// How the gateway closed it unpaid.
    public internal(set) var closing: OrderClosed?
    /// The payment that the order belongs to: its sale paid the order, or its authorisation holds the order's amount.
    /// It stays so, whatever follows. Its revision is the order's offer, until there are final lines.
    public internal(set) var paidBy: PaymentID?
    /// The payment that closed the order with another amount than its offer's.
    public internal(set) var unallocated: PaymentID?
    /// Commands that the gateway rejected, in the order of their ids.
    public internal(set) var refusedCommands: [CommandRejected]
    /// What acquirers and the bank tell of its money, in the order of the journal. A day of an account, and a pay-out, have
    /// such facts only: they are no orders.
    public internal(set) var settlements: [JournalEvent]
    /// Facts that wait for others, in the order of the journal.
    public internal(set) var parked: [JournalEvent]

    public init(
        id: OrderID, offers: [OfferFact] = [], payments: [PaymentState] = [], followUps: [FollowUpState] = [],
        finalRevision: Int64? = nil, closing: OrderClosed? = nil,
        paidBy: PaymentID? = nil, unallocated: PaymentID? = nil, refusedCommands: [CommandRejected] = [],
        settlements: [JournalEvent] = [], parked: [JournalEvent] = []
    ) {
        self.id = id
        self.offers = offers
        self.payments = payments
        self.followUps = followUps
        self.finalRevision = finalRevision
        self.closing = closing
        self.paidBy = paidBy
        self.unallocated = unallocated
        self.refusedCommands = refusedCommands
        self.settlements = settlements
        self.parked = parked
    }

    /// The status of the order; nil until it is known to have been opened.
    public var status: OrderStatus? {
        if offers.isEmpty { return nil }
        switch closing?.reason {
        case .cancelled: return .cancelled
        case .expired: return .expired
        case nil: break
        }
        guard let payment = paidBy ?? unallocated, let amounts = amounts(of: payment) else {
            return isTaken ? .review : .open
        }
        if amounts.captured == 0, amounts.isVoided || amounts.isExpired { return .voided }
        if paidBy == nil { return .review }
        return amounts.authorised > 0 && amounts.captured == 0 ? .authorised : .paid
    }

    /// Whether no fact of it is known.
    var isEmpty: Bool {
        offers.isEmpty && payments.isEmpty && followUps.isEmpty && closing == nil && refusedCommands.isEmpty
            && parked.isEmpty && settlements.isEmpty
    }

    /// Whether a payment succeeded or was authorised, with any amount: that closes the order.
    var isTaken: Bool { payments.contains(where: isTaking) }

    /// Whether a payment closed the order. A hold that came too late never did, whether it was voided or has ended.
    func isTaking(_ payment: PaymentState) -> Bool {
        payment.isTaking
            || payment.status == .authorisationExpired
                && (payment.payment == paidBy || payment.payment == unallocated)
    }

    public var merchant: MerchantID? { offers.first?.merchant }

    /// The final lines; before them the offer that was paid; before that, the newest one.
    public var offer: OfferFact? {
        if let finalRevision { return offer(finalRevision) }
        guard let paid = payments.first(where: { $0.payment == paidBy }) else { return offers.last }
        return offer(paid.revision)
    }

    public subscript(payment: PaymentID) -> PaymentState? {
        payments.first { $0.payment == payment }
    }

    func offer(_ revision: Int64) -> OfferFact? {
        revision >= 1 && revision <= offers.count ? offers[Int(revision) - 1] : nil
    }
}

/// The status of an order. It leaves `open` once and never returns to it.
public enum OrderStatus: String, Hashable, Sendable, CaseIterable {
    case open
    /// The amount is held on the card. Becomes `paid` by the capture, or `voided`.
    case authorised
    /// Money was taken, and stays taken for the order; what was refunded of it, the amounts tell.
    case paid
    /// The sale or the hold was undone, or the hold has expired: nothing was taken.
    case voided
    case cancelled, expired
    /// Money moved, but in another amount than the offer's: an operator must check before the shop delivers.
    case review
}
