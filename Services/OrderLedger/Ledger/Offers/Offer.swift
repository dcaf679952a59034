import Contracts

/// One revision of what an order costs: the request, priced for one way of shipping.
public struct Offer: Hashable, Sendable {
    public let request: OfferRequest
    /// Counted from 1; each change of the sheet makes a new one.
    public let revision: Int64
    public let totals: OfferTotals
    /// The chosen way of shipping; nil for goods that are not shipped.
    public let shippingMethod: ShippingMethod?

    /// Prices the request with checked sums.
    ///
    /// - Parameters:
    ///   - shippingMethod: the identifier of the chosen method; the request's own choice when nil.
    ///   - maximum: the merchant's limit for one order, if there is one.
    public init(
        _ request: OfferRequest, revision: Int64, shippingMethod: String? = nil, maximum: Money? = nil
    ) throws(OfferError) {
        let chosen = shippingMethod ?? request.shippingMethod
        let method = request.shippingMethods.first { $0.identifier == chosen }
        if chosen != nil, method == nil {
            throw OfferError(
                .unknownShippingMethod, field: "shippingMethod", "no shipping method of the order has this identifier")
        }
        var (subtotal, discount, tax) = (Sum(), Sum(), Sum())
        for (index, line) in request.lines.enumerated() {
            let (amount, overflow) = line.unitAmount.multipliedReportingOverflow(by: line.quantity)
            try subtotal.add(overflow ? nil : amount, "lines[\(index)].unitAmount")
            try tax.add(line.tax, "lines[\(index)].tax")
        }
        for (index, part) in request.discounts.enumerated() {
            try discount.add(part.amount, "discounts[\(index)].amount")
        }
        try tax.add(method?.tax ?? 0, "shippingMethods")
        guard discount.units <= subtotal.units else {
            throw OfferError(.discountTooLarge, field: "discounts", "the discounts exceed the price of the goods")
        }
        let totals = OfferTotals(
            currency: request.currency, subtotal: subtotal.units, discount: discount.units,
            shipping: method?.amount ?? 0, tax: tax.units)
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
        self.totals = totals
        self.shippingMethod = method
    }

    /// The fact that tells of this offer: `order.opened` for the first revision, `order.repriced` for the others.
    public func fact(order: OrderID, merchant: MerchantID, partitions: Int32) -> Fact {
        let fact = OfferFact(
            order: order, merchant: merchant, revision: revision, totals: totals,
            shippingMethod: shippingMethod?.identifier, linesDigest: request.linesDigest, partitions: partitions)
        return revision == 1 ? .orderOpened(fact) : .orderRepriced(fact)
    }

    /// The ticket that lets a device pay exactly this offer.
    ///
    /// - Parameter life: at most ``OrderTicket/maximumLife``; times are cut to whole seconds.
    public func ticket(
        order: OrderID, merchant: Merchant, partitions: Int32, at time: Timestamp, lifetime: Duration
    ) -> OrderTicket {
        let issued = Timestamp(seconds: time.seconds)
        return OrderTicket(
            order: order, merchant: merchant.id, revision: revision, amount: totals.amount,
            networks: merchant.networks, routes: merchant.ticketRoutes(in: totals.currency),
            shippingMethod: shippingMethod?.identifier, linesDigest: request.linesDigest, partitions: partitions,
            issuedAt: issued, expiresAt: issued + lifetime)
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

/// Goods of one kind on an offer.
public struct OfferLine: Hashable, Sendable {
    /// What the shop calls them; kept with the offer, never in the journal.
    public let label: String
    /// Price of one piece in minor units.
    public let unitAmount: Int64
    /// Pieces, at least one.
    public let quantity: Int64
    /// Tax on the whole line in minor units, beside the price.
    public let tax: Int64

    public init(label: String, unitAmount: Int64, quantity: Int64 = 1, tax: Int64 = 0) {
        self.label = label
        self.unitAmount = unitAmount
        self.quantity = quantity
        self.tax = tax
    }
}

/// Something taken off the price of the goods: a coupon, a volume discount.
public struct OfferDiscount: Hashable, Sendable {
    public let label: String
    /// What is taken off in minor units, as a positive number.
    public let amount: Int64

    public init(label: String, amount: Int64) {
        self.label = label
        self.amount = amount
    }
}

/// A way to ship the goods, as Apple's sheet shows it (`ApplePayShippingMethod`).
public struct ShippingMethod: Hashable, Sendable {
    /// The shop's name for it; the ticket carries the chosen one.
    public let identifier: String
    public let label: String
    /// For example "Arrives on Tuesday"; may be empty.
    public let detail: String
    /// Price in minor units.
    public let amount: Int64
    /// Tax on shipping in minor units, beside the price.
    public let tax: Int64

    public init(identifier: String, label: String, detail: String = "", amount: Int64, tax: Int64 = 0) {
        self.identifier = identifier
        self.label = label
        self.detail = detail
        self.amount = amount
        self.tax = tax
    }
}
