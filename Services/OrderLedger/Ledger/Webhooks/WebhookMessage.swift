import Contracts
import OrchardJSON

/// What the shop's own order system is told about an order, in the words of Standard Webhooks. It has no personal data.
public struct WebhookMessage: Hashable, Sendable {
    /// The `ce_id` of the fact that it tells: the same however often it is sent.
    public let id: EventID
    public let event: WebhookEvent
    public let order: OrderID
    public let merchant: MerchantID
    /// When the fact happened.
    public let time: Timestamp
    /// The status of the order after the fact.
    let status: OrderStatus
    /// What the order costs, of the offer in force.
    let amount: Money
    let payment: Payment?
    /// What became of the payment's money; nil where it does not matter.
    let amounts: PaymentAmounts?
    let followUp: FollowUp?

    /// The payment that a message is about.
    struct Payment: Hashable, Sendable {
        let id: PaymentID
        let amount: Money
        let card: CardSummary?
        /// For example `succeeded`, `authorised`, `declined` or `review`.
        let status: String
        /// Why it was declined, or why a person must look.
        let reason: String?
    }

    /// The capture, void or refund that a message is about.
    enum FollowUp: Hashable, Sendable {
        case operation(FollowUpState)
        /// The gateway rejected the command: there is no operation.
        case rejected(FollowUpKind, CommandRejected)
    }

    /// The body.
    ///
    /// - Parameter reference: the shop's own number of the order.
    public func json(reference: String?) -> [UInt8] {
        JSONWriter.object { object in
            object.object("data") { data in
                data.object("amount") { amount.write(to: &$0) }
                if let amounts { data.object("amounts") { amounts.write(to: &$0) } }
                if let followUp { data.object("followUp") { followUp.write(to: &$0) } }
                data.member("merchantId", merchant.description)
                data.member("orderId", order.description)
                if let payment { data.object("payment") { payment.write(to: &$0) } }
                data.member("reference", reference)
                data.member("status", status.rawValue)
            }
            object.member("timestamp", time.description)
            object.member("type", event.rawValue)
        }
    }
}

extension WebhookMessage.FollowUp {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .operation(let operation): operation.write(to: &object)
        case .rejected(let kind, let rejected):
            object.member("cause", "command")
            object.member("commandId", rejected.command.description)
            object.member("kind", kind.rawValue)
            object.member("reason", rejected.reason.rawValue)
            object.member("status", "rejected")
        }
    }
}

extension WebhookMessage.Payment {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.object("amount") { amount.write(to: &$0) }
        if let card {
            object.object("card") { object in
                object.member("lastFour", card.lastFour)
                object.member("network", card.network.rawValue)
            }
        }
        object.member("paymentId", id.description)
        object.member("reason", reason)
        object.member("status", status)
    }
}
