import Contracts

/// A capture, void or refund in the acquirer's own book.
struct AcquirerFollowUp: Hashable, Sendable {
    let order: OrderID
    /// `txnType`: 03 a completion, 04 a refund, 31 to 33 voids.
    let kind: String
    let amount: Int64
    /// Whether it was done; else it failed.
    var isDone: Bool
    /// The fault that was applied, or the rule that refused it.
    var fault: String
}
