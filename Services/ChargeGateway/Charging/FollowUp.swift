import Contracts

/// An operation that follows a charge: what is captured, undone or given back, and under which key of the acquirer.
public struct FollowUp: Hashable, Sendable {
    public let order: OrderID
    public let payment: PaymentID
    public let merchant: MerchantID
    public let kind: FollowUpKind
    /// What a void undoes; nil for the others.
    public let target: OperationKind?
    public let cause: FollowUpCause
    /// The cause's time: the command's, or the transaction time of the payment that succeeded too late. Whole seconds.
    public let causedAt: Timestamp
    /// What is captured, given back or undone.
    public let amount: Money
    /// What the amount consists of, where the shop said it.
    public let parts: OfferTotals?
    /// The transaction that it follows.
    public let original: AcquirerReference
    /// The acquirer's number of that transaction (UnionPay `queryId`).
    public let originalSerial: String?
    /// Which attempt it is at: each has its own key.
    public internal(set) var attempt: Int

    public init(
        order: OrderID, payment: PaymentID, merchant: MerchantID, kind: FollowUpKind, target: OperationKind? = nil,
        cause: FollowUpCause, causedAt: Timestamp, amount: Money, parts: OfferTotals? = nil,
        original: AcquirerReference,
        originalSerial: String?, attempt: Int
    ) {
        precondition((target != nil) == (kind == .void), "a void says what it undoes")
        (self.order, self.payment, self.merchant) = (order, payment, merchant)
        (self.kind, self.target, self.cause, self.causedAt) = (kind, target, cause, causedAt)
        (self.amount, self.parts) = (amount, parts)
        (self.original, self.originalSerial, self.attempt) = (original, originalSerial, attempt)
    }

    /// The operation's name, the same for every copy of the command.
    public var operation: OperationID { OperationID(kind, of: payment, order: order, cause: cause) }

    /// The key of its attempt.
    public var key: FollowUpKey { FollowUpKey(kind, cause: cause, causedAt: causedAt, attempt: attempt) }

    /// Its attempt's key at the acquirer and account of the original.
    public var reference: AcquirerReference {
        let key = key
        return AcquirerReference(
            acquirer: original.acquirer, account: original.account, orderNumber: key.orderNumber, time: key.time)
    }

    /// What travels in the acquirer's reserved field and comes back in its answers: order id and payment id in hex.
    public var reserved: String { order.description + payment.description }
}
