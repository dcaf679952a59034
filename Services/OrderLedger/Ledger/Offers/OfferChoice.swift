import Contracts

/// What the customer has chosen in the sheet, as far as the price depends on it.
public struct OfferChoice: Hashable, Sendable {
    /// The identifier of the shipping method; nil for goods that are not shipped.
    public var shippingMethod: String?
    /// The region of the chosen address, made of the shop's regions; nil before an address is chosen, and for an order
    /// that goes everywhere.
    public var region: Region?
    /// The number of the coupon among the order's, from 1.
    public var coupon: Int?
    /// The type of the selected card; kept only if the order's price depends on it.
    public var cardType: CardType?

    public init(
        shippingMethod: String? = nil, region: Region? = nil, coupon: Int? = nil, cardType: CardType? = nil
    ) {
        self.shippingMethod = shippingMethod
        self.region = region
        self.coupon = coupon
        self.cardType = cardType
    }

    /// The choice that a published price was made for.
    public init(publishedBy fact: OfferFact) {
        self.init(
            shippingMethod: fact.shippingMethod, region: fact.region, coupon: fact.coupon, cardType: fact.cardType)
    }
}

extension OfferRequest {
    /// The choice that the sheet starts with.
    public var initialChoice: OfferChoice {
        OfferChoice(shippingMethod: shippingMethod, coupon: couponCode.flatMap { number(ofCoupon: $0) })
    }

    /// The number of a coupon, from 1; nil for a code that the order does not accept.
    public func number(ofCoupon code: String) -> Int? {
        coupons.firstIndex { $0.matches(code) }.map { $0 + 1 }
    }

    /// The region for which an address is priced, as narrow as the shop's regions are.
    ///
    /// - Parameter isCut: whether Apple left out parts of the address.
    /// - Returns: nil when every method goes everywhere.
    /// - Throws: ``UnservedAddress`` when no method goes there.
    public func region(of contact: PaymentContact, isCut: Bool) throws(UnservedAddress) -> Region? {
        let all = Set(shippingMethods.flatMap(\.regions))
        guard !all.isEmpty else { return nil }
        var region: Region?
        var field = PaymentContact.Field.countryCode
        for one in all.sorted(by: { $0.description < $1.description }) {
            switch one.match(contact, isCut: isCut) {
            case .inside: region = region.map { $0.intersection(one) ?? $0 } ?? one
            // The member that is wrong in the region that comes nearest.
            case .outside(let wrong): field = max(field, wrong) { $0.narrowness < $1.narrowness }
            }
        }
        // A method without regions goes everywhere, so no region is needed.
        if let region { return region }
        if shippingMethods.contains(where: \.regions.isEmpty) {
            if let country = contact.countryCode, let elsewhere = Region(country.uppercased()) { return elsewhere }
        }
        throw UnservedAddress(field: field)
    }
}

/// No shipping method goes to the address.
public struct UnservedAddress: Error, Hashable, Sendable {
    /// The member of the address that is the reason.
    public let field: PaymentContact.Field
}

extension PaymentContact.Field {
    /// How far a comparison of addresses came before this member was wrong.
    fileprivate var narrowness: Int {
        switch self {
        case .postalCode: 2
        case .administrativeArea: 1
        default: 0
        }
    }
}

private func max<Value>(_ one: Value, _ other: Value, by isLess: (Value, Value) -> Bool) -> Value {
    isLess(one, other) ? other : one
}
