/// What the gateway learnt of a payment: one transition of its operation.
public struct PaymentFact: Hashable, Sendable {
    public let order: OrderID
    public let merchant: MerchantID
    public let payment: PaymentID
    public let operation: OperationID
    /// The operation's transitions, counted from 1 without gaps; with the operation the fact's identity.
    public let transition: Int64
    /// The revision of the offer that the ticket was for: the paid offer is the order.
    public let revision: Int64
    /// The amount of the ticket.
    public let amount: Money
    public let event: PaymentEvent

    public init(
        order: OrderID, merchant: MerchantID, payment: PaymentID, operation: OperationID, transition: Int64,
        revision: Int64, amount: Money, event: PaymentEvent
    ) {
        self.order = order
        self.merchant = merchant
        self.payment = payment
        self.operation = operation
        self.transition = transition
        self.revision = revision
        self.amount = amount
        self.event = event
    }
}
