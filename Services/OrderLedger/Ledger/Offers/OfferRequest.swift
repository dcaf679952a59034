import Contracts
import OrchardCrypto

/// What a shop's server asks for: goods, discounts, ways to ship them, and what the sheet shows and asks, in one currency.
public struct OfferRequest: Hashable, Sendable {
    public let currency: Currency
    /// At least one.
    public var lines: [OfferLine]
    public var discounts: [OfferDiscount]
    /// None for goods that are not shipped. Identifiers differ.
    public var shippingMethods: [ShippingMethod]
    /// The identifier of the method that the sheet starts with; the first one when the shop does not say.
    public var shippingMethod: String?
    /// The merchant to be paid; must be the API key's.
    public var payee: MerchantID?
    /// The shop's own number for the order; stored and returned, never in the journal.
    public var reference: String?

    /// When the money moves.
    public var captureMode = OrderTicket.CaptureMode.sale
    /// Whether what is taken in the end may differ from the total. Only for an order that is authorised first.
    public var isTotalPending = false
    /// Prices beside the goods, each a line of the sheet.
    public var extraLines: [ExtraLine] = []
    /// Whom the customer pays, when it is not the merchant itself: the sheet shows "X (via Y)".
    public var payeeName: String?
    /// How the goods reach the customer; nil for an order that does not say.
    public var shippingType: ShippingType?
    /// The store's address, for goods that are picked up.
    public var pickup: PaymentContact?
    /// Whether the goods are digital: nothing is shipped.
    public var isDigital = false
    public var coupons: [Coupon] = []
    /// The coupon that the sheet starts with.
    public var couponCode: String?
    /// The types of card that may pay; nil for all.
    public var cardTypes: [CardType]?
    /// A type is in one rule at most.
    public var cardTypePrices: [CardTypePrice] = []
    public var billingContactFields: [ContactField] = []
    public var shippingContactFields: [ContactField] = []
    public var billingPlan: BillingPlan?
    /// The language of the sheet's own labels and messages.
    public var language = SheetLanguage.english
    /// The shop's own data: stored and returned, never in the journal.
    public var metadata: [String: String] = [:]
    /// After this time nothing can pay the order.
    public var expiresAt: Timestamp?
    /// Where it is charged; nil for live if a live route takes the currency.
    public var environment: AcquirerRoute.Environment?

    public init(
        currency: Currency, lines: [OfferLine], discounts: [OfferDiscount] = [],
        shippingMethods: [ShippingMethod] = [], shippingMethod: String? = nil, payee: MerchantID? = nil,
        reference: String? = nil
    ) {
        self.currency = currency
        self.lines = lines
        self.discounts = discounts
        self.shippingMethods = shippingMethods
        self.shippingMethod = shippingMethod ?? shippingMethods.first?.identifier
        self.payee = payee
        self.reference = reference
    }

    /// SHA-256 over currency, lines and discounts in canonical bytes: what an offer's digest begins with.
    public var linesDigest: [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(currency.code)
        bytes.append(lines) { bytes, line in
            bytes.append(line.label)
            bytes.append(line.unitAmount)
            bytes.append(line.quantity)
            bytes.append(line.tax)
        }
        bytes.append(discounts) { bytes, discount in
            bytes.append(discount.label)
            bytes.append(discount.amount)
        }
        return SHA256.hash(bytes.bytes)
    }
}

/// How the goods reach the customer (`ApplePayShippingType`, `PKShippingType`).
public enum ShippingType: String, Sendable, CaseIterable {
    case shipping, delivery, storePickup, servicePickup

    /// Whether the customer comes to the shop, or the shop to the customer's place, without an address to choose.
    public var isPickup: Bool { self == .storePickup || self == .servicePickup }

    /// The value of `PKShippingType`.
    var passKitValue: Int64 {
        switch self {
        case .shipping: 0
        case .delivery: 1
        case .storePickup: 2
        case .servicePickup: 3
        }
    }
}
