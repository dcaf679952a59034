/// What order-ledger sends to token-ingest and the gateway through the device, and the device's only credential.
///
/// The ticket says what may be charged. Both readers verify its signature themselves, and read amount, currency,
/// merchant and expiry from it alone.
public struct OrderTicket: Hashable, Sendable {
    /// When the money moves.
    public enum CaptureMode: String, Sendable, CaseIterable {
        /// At once, in one step.
        case sale
        /// The amount is held, and taken by a later capture.
        case authorise
    }

    public let order: OrderID
    public let merchant: MerchantID
    /// Which offer of the order this is, counted from 1.
    public let revision: Int64
    /// The amount due.
    public let amount: Money
    public let captureMode: CaptureMode
    /// Whether the sheet shows the total as pending: what is taken in the end may differ. Only with
    /// ``CaptureMode/authorise``.
    public let isTotalPending: Bool
    /// Networks that may pay.
    public let networks: [CardNetwork]
    /// The route of each kind of card; none for a card that no acquirer accepts.
    public let routes: [TicketRoute]
    /// The identifier of the chosen shipping method, if the order is shipped.
    public let shippingMethod: String?
    /// The region of the address that the shipping price holds for.
    public let region: Region?
    /// The types of card that the price holds for; nil for every type.
    public let cardTypes: [CardType]?
    /// The parts of a contact that must come with a payment.
    public let requiredContact: RequiredContact
    /// Whether a token without `applicationData` may pay the order (``Merchant/allowMissingApplicationData``). A token that
    /// has one must name the order all the same.
    public let allowsMissingApplicationData: Bool
    /// The language of the order's messages; nil for the device's own.
    public let language: SheetLanguage?
    /// SHA-256 over the lines of the offer.
    public let linesDigest: [UInt8]
    /// The number of partitions when the order was opened.
    public let partitions: Int32
    /// Whole seconds.
    public let issuedAt: Timestamp
    /// Whole seconds; at most ``maximumLife`` after `issuedAt`.
    public let expiresAt: Timestamp

    /// The longest time in which a ticket can charge.
    public static let maximumLife: Duration = .seconds(15 * 60)
    /// An expired ticket can still read the order's status for this long.
    public static let statusLife: Duration = .seconds(24 * 3_600)

    public init(
        order: OrderID, merchant: MerchantID, revision: Int64, amount: Money, captureMode: CaptureMode = .sale,
        isTotalPending: Bool = false, networks: [CardNetwork], routes: [TicketRoute], shippingMethod: String? = nil,
        region: Region? = nil, cardTypes: [CardType]? = nil, requiredContact: RequiredContact = .init(),
        allowsMissingApplicationData: Bool = false, language: SheetLanguage? = nil, linesDigest: [UInt8],
        partitions: Int32, issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        precondition(revision >= 1 && partitions >= 1 && amount.minorUnits >= 0 && linesDigest.count == 32)
        precondition(
            expiresAt > issuedAt && expiresAt - issuedAt <= Self.maximumLife, "a ticket is valid 15 minutes at most")
        precondition(routes.isUnambiguous, "a card has one route at most")
        precondition(captureMode == .authorise || !isTotalPending, "only what is held can be taken in another amount")
        self.order = order
        self.merchant = merchant
        self.revision = revision
        self.amount = amount
        self.captureMode = captureMode
        self.isTotalPending = isTotalPending
        self.networks = networks
        self.routes = routes
        self.shippingMethod = shippingMethod
        self.region = region
        self.cardTypes = cardTypes
        self.requiredContact = requiredContact
        self.allowsMissingApplicationData = allowsMissingApplicationData
        self.language = language
        self.linesDigest = linesDigest
        self.partitions = partitions
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The route of a card; nil when no acquirer accepts it.
    public func route(for card: CardSummary) -> RouteReference? { routes.first { $0.accepts(card) }?.route }

    /// The partition of everything that concerns the order.
    public var partition: Int32 { Partitioner.partition(of: order, among: partitions) }

    /// Whether it may still charge at `time`.
    public func charges(at time: Timestamp) -> Bool { time < expiresAt }

    /// Whether it may still read the order's status at `time`.
    public func readsStatus(at time: Timestamp) -> Bool { time < expiresAt + Self.statusLife }
}
