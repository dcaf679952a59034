/// How an acquirer names an operation: its own key for "at most once".
public struct AcquirerReference: Hashable, Sendable {
    /// `unionpay`.
    public let acquirer: String
    /// The merchant's number there (UnionPay `merId`).
    public let account: String
    /// Our number for it there (UnionPay `orderId`): a function of payment id and operation.
    public let orderNumber: String
    /// The transaction time (UnionPay `txnTime`): Apple's signing time of the token.
    public let time: Timestamp

    public init(acquirer: String, account: String, orderNumber: String, time: Timestamp) {
        self.acquirer = acquirer
        self.account = account
        self.orderNumber = orderNumber
        self.time = time
    }
}
