/// Charge this order with this token: what token-ingest asks of the gateway (`orchard.charge.requested.v1`).
public struct ChargeRequested: Hashable, Sendable {
    public static let type = CommandType.charge.rawValue

    public let order: OrderID
    public let payment: PaymentID
    /// The ticket as issued; the gateway verifies it again and reads amount, currency, merchant and expiry from it alone.
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
    public var operation: OperationID { OperationID(order: order, payment: payment, kind: .sale) }
}
