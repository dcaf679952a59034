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
}
