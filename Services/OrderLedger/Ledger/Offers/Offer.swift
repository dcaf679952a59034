import Contracts
import OrchardCrypto

/// One revision of what an order costs: the request, priced for what the customer chose in the sheet.
public struct Offer: Hashable, Sendable {
    public let request: OfferRequest
    /// Counted from 1; each change of the sheet makes a new one.
    public let revision: Int64
    public let choice: OfferChoice
    public let totals: OfferTotals
    /// The chosen way of shipping; nil for goods that are not shipped.
    public let shippingMethod: ShippingMethod?
    /// The price of the goods alone, in minor units.
    public let goods: Int64
    /// What the request's own discounts take off.
    public let discount: Int64
    /// The chosen coupon and what it takes off.
    public let coupon: AppliedCoupon?
    /// The price rule of the chosen card's type, and what it adds.
    public let cardTypePrice: AppliedCardTypePrice?

    /// The chosen coupon with its amount.
    public struct AppliedCoupon: Hashable, Sendable {
        public let coupon: Coupon
        /// Minor units.
        public let discount: Int64
    }

    /// The price rule of the chosen card with its amount.
    public struct AppliedCardTypePrice: Hashable, Sendable {
        public let rule: CardTypePrice
        /// Minor units; below zero for a discount.
        public let amount: Int64
    }

    /// Prices the request with checked sums.
    ///
    /// - Parameters:
    ///   - choice: what the sheet starts with when nil.
    ///   - maximum: the merchant's limit for one order, if there is one.
    public init(
        _ request: OfferRequest, revision: Int64, _ choice: OfferChoice? = nil, maximum: Money? = nil
    ) throws(OfferError) {
        let choice = choice ?? request.initialChoice
        let method = request.shippingMethods.first { $0.identifier == choice.shippingMethod }
        if choice.shippingMethod != nil, method == nil {
            throw OfferError(
                .unknownShippingMethod, field: "shippingMethod", "no shipping method of the order has this identifier")
        }
        let price = try OfferPrice(request, choice, method)
        let totals = OfferTotals(
            currency: request.currency, subtotal: price.subtotal.units, discount: price.discounts.units,
            shipping: method?.amount ?? 0, tax: price.tax.units)
        guard let totals else {
            throw OfferError(.amountTooLarge, field: "lines", "the total does not fit 64 bits")
        }
        guard totals.total > 0 else {
            throw OfferError(.nothingDue, field: "lines", "nothing is due; Apple Pay takes no payment of zero")
        }
        guard PostingRules.canPost(totals) else {
            throw OfferError(.amountTooLarge, field: "lines", "the amounts are too large for the books")
        }
        if let maximum, maximum.currency == totals.currency, totals.total > maximum.minorUnits {
            throw OfferError(.aboveLimit, field: "lines", "the total exceeds the merchant's limit of \(maximum)")
        }
        self.request = request
        self.revision = revision
        self.choice = choice
        self.totals = totals
        shippingMethod = method
        goods = price.goods
        discount = price.ownDiscount
        coupon = price.coupon
        cardTypePrice = price.cardTypePrice
    }

    /// SHA-256 over the priced lines: what ticket and fact bind of them.
    public var digest: [UInt8] {
        guard !request.extraLines.isEmpty || coupon != nil || cardTypePrice != nil else { return request.linesDigest }
        var bytes = CanonicalBytes(version: 2)
        bytes.append(request.linesDigest)
        bytes.append(request.extraLines) { bytes, line in
            bytes.append(line.label)
            bytes.append(line.amount)
            bytes.append(line.tax)
        }
        bytes.append([coupon].compactMap(\.self)) { bytes, coupon in
            bytes.append(coupon.coupon.code)
            bytes.append(coupon.discount)
        }
        bytes.append([cardTypePrice].compactMap(\.self)) { bytes, price in
            bytes.append(price.rule.label)
            bytes.append(price.amount)
        }
        return SHA256.hash(bytes.bytes)
    }

    /// The fact that publishes this offer: `order.opened` for the first revision, `order.repriced` for the others.
    public func fact(order: OrderID, merchant: MerchantID, partitions: Int32) -> Fact {
        let fact = published(order, merchant, partitions)
        return revision == 1 ? .orderOpened(fact) : .orderRepriced(fact)
    }

    /// The fact that publishes it as the final lines of an order whose total was pending.
    public func finalFact(order: OrderID, merchant: MerchantID, partitions: Int32) -> Fact {
        .orderFinalised(published(order, merchant, partitions))
    }

    private func published(_ order: OrderID, _ merchant: MerchantID, _ partitions: Int32) -> OfferFact {
        OfferFact(
            order: order, merchant: merchant, revision: revision, totals: totals,
            shippingMethod: shippingMethod?.identifier, region: choice.region, coupon: choice.coupon,
            cardType: choice.cardType, linesDigest: digest, partitions: partitions)
    }

    /// The ticket that lets a device pay exactly this offer.
    ///
    /// - Parameter lifetime: at most ``OrderTicket/maximumLife``; the ticket ends with its order. Times are cut to whole
    ///   seconds.
    /// - Returns: nil when the order has expired.
    public func ticket(
        order: OrderID, merchant: Merchant, partitions: Int32, at time: Timestamp, lifetime: Duration
    ) -> OrderTicket? {
        let issued = Timestamp(seconds: time.seconds)
        let end = request.expiresAt.map { min(issued + lifetime, Timestamp(seconds: $0.seconds)) } ?? issued + lifetime
        guard end > issued else { return nil }
        return OrderTicket(
            order: order, merchant: merchant.id, revision: revision, amount: totals.amount,
            captureMode: request.captureMode, isTotalPending: request.isTotalPending, networks: merchant.networks,
            routes: merchant.ticketRoutes(in: totals.currency, request.environment, for: request.captureMode),
            shippingMethod: shippingMethod?.identifier, region: choice.region, cardTypes: cardTypes,
            requiredContact: RequiredContact(
                shipping: request.requiredShippingFields, billing: request.billingContactFields),
            allowsMissingApplicationData: merchant.allowMissingApplicationData,
            language: request.language == .english ? nil : request.language, linesDigest: digest,
            partitions: partitions, issuedAt: issued, expiresAt: end)
    }

    /// The types of card that this price holds for; nil for every card.
    private var cardTypes: [CardType]? {
        guard !request.cardTypePrices.isEmpty || request.cardTypes != nil else { return nil }
        let accepted = request.cardTypes ?? CardType.allCases
        if let type = choice.cardType { return accepted.filter { $0 == type } }
        return accepted.filter { type in !request.cardTypePrices.contains { $0.cardTypes.contains(type) } }
    }
}

/// The sums of an offer.
private struct OfferPrice {
    var subtotal = Sum()
    var discounts = Sum()
    var tax = Sum()
    var goods: Int64 = 0
    var ownDiscount: Int64 = 0
    var coupon: Offer.AppliedCoupon?
    var cardTypePrice: Offer.AppliedCardTypePrice?

    init(_ request: OfferRequest, _ choice: OfferChoice, _ method: ShippingMethod?) throws(OfferError) {
        for (index, line) in request.lines.enumerated() {
            let (amount, overflow) = line.unitAmount.multipliedReportingOverflow(by: line.quantity)
            try subtotal.add(overflow ? nil : amount, "lines[\(index)].unitAmount")
            try tax.add(line.tax, "lines[\(index)].tax")
        }
        goods = subtotal.units
        for (index, line) in request.extraLines.enumerated() {
            try subtotal.add(line.amount, "extraLines[\(index)].amount")
            try tax.add(line.tax, "extraLines[\(index)].tax")
        }
        try tax.add(method?.tax ?? 0, "shippingMethods")
        for (index, part) in request.discounts.enumerated() {
            try discounts.add(part.amount, "discounts[\(index)].amount")
        }
        ownDiscount = discounts.units
        guard discounts.units <= subtotal.units else {
            throw OfferError(.discountTooLarge, field: "discounts", "the discounts exceed the price of the goods")
        }
        if let number = choice.coupon {
            guard number >= 1, number <= request.coupons.count else {
                throw OfferError(.unknownCoupon, field: "coupon", "the order has no coupon of this number")
            }
            let coupon = request.coupons[number - 1]
            let discount = coupon.discount(on: subtotal.units, left: subtotal.units - discounts.units)
            self.coupon = Offer.AppliedCoupon(coupon: coupon, discount: discount)
            try discounts.add(discount, "coupons")
        }
        if let type = choice.cardType, let rule = request.cardTypePrices.first(where: { $0.cardTypes.contains(type) }) {
            let amount = max(rule.amount, discounts.units - subtotal.units)
            cardTypePrice = Offer.AppliedCardTypePrice(rule: rule, amount: amount)
            if amount < 0 {
                try discounts.add(-amount, "cardTypePrices")
            } else {
                try subtotal.add(amount, "cardTypePrices")
            }
        }
    }
}

/// A sum of amounts of at least zero that never wraps.
private struct Sum {
    var units: Int64 = 0

    mutating func add(_ amount: Int64?, _ field: String) throws(OfferError) {
        guard let amount, case let (sum, overflow) = units.addingReportingOverflow(amount), !overflow else {
            throw OfferError(.amountTooLarge, field: field, "the sum does not fit 64 bits")
        }
        units = sum
    }
}
