import Contracts

/// What is to be charged, to whom and under which key of the acquirer: fixed when its command is first read.
public struct Charge: Hashable, Sendable {
    public let order: OrderID
    public let payment: PaymentID
    public let merchant: MerchantID
    /// A sale or an authorisation.
    public let kind: OperationKind
    /// The revision of the offer that the ticket was for.
    public let revision: Int64
    /// From the ticket alone.
    public let amount: Money
    /// When the ticket stops charging.
    public let expiresAt: Timestamp
    /// When Apple signed the token: the acquirer's time of the transaction.
    public let signedAt: Timestamp
    /// Whether Apple's signature binds the token to the order. If not, a success counts only from an answer that names the
    /// order itself: the same token may have been sent for another one, under the same key.
    public internal(set) var isOrderSigned: Bool
    /// nil when the command cannot be read; the charge is declined then.
    public let card: CardSummary?
    /// The route that the ticket named; nil when it names none for this card.
    public let route: RouteReference?
    /// The acquirer and our key there; nil when no route of the merchant takes this currency and kind of card.
    public let reference: AcquirerReference?

    public init(
        order: OrderID, payment: PaymentID, merchant: MerchantID, kind: OperationKind = .sale, revision: Int64,
        amount: Money, expiresAt: Timestamp, signedAt: Timestamp, isOrderSigned: Bool = true, card: CardSummary?,
        route: RouteReference?, reference: AcquirerReference?
    ) {
        precondition(kind == .sale || kind == .authorisation, "a charge takes or holds the money")
        self.order = order
        self.payment = payment
        self.merchant = merchant
        self.kind = kind
        self.revision = revision
        self.amount = amount
        self.expiresAt = expiresAt
        self.signedAt = signedAt
        self.isOrderSigned = isOrderSigned
        self.card = card
        self.route = route
        self.reference = reference
    }

    /// The charge that a verified ticket allows.
    ///
    /// - Parameter route: where the ticket leads, as the registry has it; nil when the ticket leads nowhere.
    public init(
        ticket: OrderTicket, payment: PaymentID, signedAt: Timestamp, card: CardSummary?, route: AcquirerRoute?
    ) {
        self.init(
            order: ticket.order, payment: payment, merchant: ticket.merchant,
            kind: ticket.captureMode == .sale ? .sale : .authorisation, revision: ticket.revision,
            amount: ticket.amount,
            expiresAt: ticket.expiresAt, signedAt: signedAt,
            isOrderSigned: !ticket.allowsMissingApplicationData, card: card,
            route: route.map { RouteReference($0, of: ticket.merchant) },
            reference: route.map { route in
                // Whole seconds: acquirers keep no more, and the key must read the same in their answers.
                AcquirerReference(
                    acquirer: route.acquirer, account: route.account, orderNumber: payment.description,
                    time: Timestamp(seconds: signedAt.seconds))
            })
    }

    /// The operation's name, the same for every copy of the command.
    public var operation: OperationID { OperationID(chargeOf: payment, order: order) }

    /// What travels in the acquirer's reserved field and comes back in its answers: order id and payment id in hex.
    public var reserved: String { order.description + payment.description }

    /// From when on nothing may be sent: the ticket's end, or that of the acquirer's tolerance.
    func sendingEnds(under policy: ChargingPolicy) -> Timestamp {
        min(expiresAt, signedAt + policy.acquirerTolerance)
    }

    /// Whether it may be sent at `time`.
    func isSendable(at time: Timestamp, under policy: ChargingPolicy) -> Bool {
        time < sendingEnds(under: policy) && signedAt - policy.acquirerTolerance < time
    }
}
