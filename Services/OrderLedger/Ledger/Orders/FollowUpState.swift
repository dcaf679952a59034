import Contracts

/// A capture, void or refund of an order as the gateway's facts describe it.
public struct FollowUpState: Hashable, Sendable {
    public let operation: OperationID
    public let payment: PaymentID
    public let kind: FollowUpKind
    /// What a void undoes; nil for the others.
    public let target: OperationKind?
    public let cause: FollowUpCause
    public let amount: Money
    /// What the amount consists of, where the shop said it.
    public let parts: OfferTotals?
    public internal(set) var status: FollowUpStatus
    /// The newest transition of its operation.
    public internal(set) var transition: Int64
    /// The reason for its status, when its newest fact gives one.
    public internal(set) var reason: String?
    /// The acquirer's result, when there is one.
    public internal(set) var result: AcquirerResult?

    public init(
        operation: OperationID, payment: PaymentID, kind: FollowUpKind, target: OperationKind?, cause: FollowUpCause,
        amount: Money, parts: OfferTotals?, status: FollowUpStatus, transition: Int64, reason: String? = nil,
        result: AcquirerResult? = nil
    ) {
        (self.operation, self.payment, self.kind, self.target) = (operation, payment, kind, target)
        (self.cause, self.amount, self.parts) = (cause, amount, parts)
        (self.status, self.transition, self.reason, self.result) = (status, transition, reason, result)
    }
}

/// The status of a capture, void or refund.
public enum FollowUpStatus: String, Hashable, Sendable, CaseIterable {
    case accepted
    /// No outcome yet: a query or the settlement file decides.
    case unknown
    /// Done.
    case succeeded
    /// Not done. Can become: succeeded, when the acquirer shows that it did it after all.
    case failed
    /// An operator must check.
    case conflicted

    /// Whether the outcome is open.
    public var isLive: Bool { self == .accepted || self == .unknown || self == .conflicted }
}
