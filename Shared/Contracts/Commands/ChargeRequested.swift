import OrchardJSON

/// token-ingest's command to the gateway to charge an order with a token (`orchard.charge.requested.v1`).
public struct ChargeRequested: Hashable, Sendable {
    public static let type = CommandType.charge.rawValue

    public let order: OrderID
    public let payment: PaymentID
    /// The ticket as issued. The gateway verifies it again and reads amount, currency, merchant and expiry only from
    /// it.
    public let ticket: String
    public let card: CardSummary
    /// The card data, a compact JWE for the gateway (`apu` = payment id, `apv` = SHA-256 of the ticket).
    public let sealedCard: String
    /// When Apple signed the token; becomes the acquirer's transaction time.
    public let signedAt: Timestamp

    public init(
        order: OrderID, payment: PaymentID, ticket: String, card: CardSummary, sealedCard: String, signedAt: Timestamp
    ) {
        self.order = order
        self.payment = payment
        self.ticket = ticket
        self.card = card
        self.sealedCard = sealedCard
        self.signedAt = signedAt
    }

    /// The operation that this command creates: the same for every copy of it.
    public var operation: OperationID { OperationID(chargeOf: payment, order: order) }
}

extension ChargeRequested: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, payment, card): (OrderID?, PaymentID?, CardSummary?)
        var (ticket, sealedCard, signedAt): (String?, String?, Timestamp?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "card": card = try CardSummary(json: &reader)
            case "orderId": order = try reader.identifier()
            case "paymentId": payment = try reader.identifier()
            case "sealedCard": sealedCard = try reader.compactForm()
            case "signedAt": signedAt = try reader.timestamp()
            case "ticket": ticket = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), payment: try reader.required(payment, "paymentId"),
            ticket: try reader.required(ticket, "ticket"), card: try reader.required(card, "card"),
            sealedCard: try reader.required(sealedCard, "sealedCard"),
            signedAt: try reader.required(signedAt, "signedAt"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.object("card") { card.write(to: &$0) }
        object.member("orderId", order.description)
        object.member("paymentId", payment.description)
        object.member("sealedCard", sealedCard)
        object.member("signedAt", signedAt.description)
        object.member("ticket", ticket)
    }
}
