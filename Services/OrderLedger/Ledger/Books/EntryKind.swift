/// Why an entry was made.
public enum EntryKind: String, Hashable, Sendable, CaseIterable {
    /// The order was paid.
    case sale
    /// Money moved after the payment had ended as not charged.
    case lateSuccess
    /// Money moved for an order that was closed or paid by another payment.
    case surplusSuccess
    /// Money moved in another amount than the offer's.
    case unallocatedSuccess
    /// The order's amount is held on the card; also when a capture was voided and the hold is open again.
    case hold
    /// An amount is held although the payment had ended: it is voided by itself.
    case lateHold
    /// An amount is held for an order that was closed or has another payment.
    case surplusHold
    /// Another amount than the offer's is held.
    case unallocatedHold
    /// A hold has ended: it was captured or voided, or its time was over.
    case holdReleased
    /// Money of a hold was taken.
    case capture
    /// A capture was undone.
    case captureVoided
    /// A sale was undone, or a payment that is no sale.
    case saleVoided
    /// Money of a sale or of a capture was given back.
    case refund
    /// Money that was owed was given back: of a payment that did not pay the order.
    case dueRefund
    /// The acquirer's file settles a transaction of ours.
    case settlement
    /// The acquirer's file settles a transaction that we do not know.
    case unallocatedSettlement
    /// The acquirer takes or gives back money for a dispute.
    case dispute
    /// The bank received money of the acquirer.
    case payOut

    /// Whether an operator must check it: money moved, or is held, that the order does not account for.
    public var needsReview: Bool {
        switch self {
        case .lateSuccess, .surplusSuccess, .unallocatedSuccess, .surplusHold, .unallocatedHold,
            .unallocatedSettlement, .dispute:
            true
        case .sale, .hold, .lateHold, .holdReleased, .capture, .captureVoided, .saleVoided, .refund, .dueRefund,
            .settlement, .payOut:
            false
        }
    }
}
