import Contracts

/// What an order must be like so that a customer can be shown an honest sheet and its payment can be charged: checked
/// once, when the order is opened.
public struct OfferRules: Sendable {
    let request: OfferRequest
    let merchant: Merchant
    let minimumLife: Duration

    /// How long an order lives at most, when it says so.
    static let maximumLife = Duration.seconds(366 * 86_400)
    /// How long it lives at least, if the service is not configured otherwise.
    public static let minimumLife = Duration.seconds(60)

    public init(_ request: OfferRequest, of merchant: Merchant, minimumLife: Duration = Self.minimumLife) {
        self.request = request
        self.merchant = merchant
        self.minimumLife = minimumLife
    }

    /// - Throws: ``OfferError`` for the first rule that is broken.
    public func check(at time: Timestamp) throws(OfferError) {
        try checkPayee()
        try checkRoutes()
        try checkPendingTotal()
        try checkCards()
        try checkShipping()
        try checkDigitalGoods()
        if let code = request.couponCode, request.number(ofCoupon: code) == nil {
            throw OfferError(.unknownCoupon, field: "couponCode", "the order's coupons do not have this code")
        }
        if let end = request.expiresAt, !(minimumLife...Self.maximumLife).contains(end - time) {
            throw OfferError(
                .expiry, field: "expiresAt",
                "an order lives for \(minimumLife.components.seconds) seconds at least and 366 days at most")
        }
    }

    private func checkPayee() throws(OfferError) {
        if let payee = request.payee, payee != merchant.id {
            throw OfferError(.otherPayee, field: "payee", "the API key is another merchant's")
        }
        if request.payeeName != nil, !merchant.allowPayeeName {
            throw OfferError(
                .otherPayee, field: "payeeName", "the merchant has no allowPayeeName in merchants.json")
        }
    }

    /// A sheet that offers what nobody can charge would let the customer pay for a decline.
    private func checkRoutes() throws(OfferError) {
        let environment = request.environment ?? merchant.environment(for: request.currency)
        guard merchant.ticketRoutes(in: request.currency, environment, for: request.captureMode).isEmpty else { return }
        if request.captureMode == .authorise, !merchant.ticketRoutes(in: request.currency, environment).isEmpty {
            throw OfferError(
                .noRoute, field: "captureMode",
                "the merchant has no \(environment.rawValue) route that can authorise in \(request.currency.code): see "
                    + "captureModes of its routes in merchants.json")
        }
        throw OfferError(
            .noRoute, field: request.environment == nil ? "currency" : "environment",
            "the merchant has no \(environment.rawValue) route that takes \(request.currency.code)")
    }

    /// A sale takes the total at once: there is no later amount.
    private func checkPendingTotal() throws(OfferError) {
        guard request.isTotalPending, request.captureMode != .authorise else { return }
        throw OfferError(
            .contradiction, field: "pendingTotal",
            "only what is held can be taken in another amount: captureMode must be authorise")
    }

    /// Nobody signed the type of a card.
    private func checkCards() throws(OfferError) {
        guard !merchant.knowsCardTypes else { return }
        for (field, isUsed) in [
            ("cardTypes", request.cardTypes != nil), ("cardTypePrices", !request.cardTypePrices.isEmpty),
        ] where isUsed {
            throw OfferError(
                .uncheckedCardType, field: field,
                "the type of a card cannot be checked: give the merchant cardRanges in merchants.json")
        }
    }

    private func checkShipping() throws(OfferError) {
        switch (request.shippingType, request.pickup) {
        case (.storePickup?, nil), (.servicePickup?, nil):
            throw OfferError(.missing, field: "pickup", "the sheet shows where the goods are picked up")
        case (.storePickup?, let place?), (.servicePickup?, let place?):
            guard place.addressLines != nil, place.locality != nil,
                place.countryCode.map({ Region($0) != nil }) == true
            else {
                throw OfferError(
                    .missing, field: "pickup", "the place has addressLines, locality and countryCode at least")
            }
            if request.shippingMethods.contains(where: { !$0.regions.isEmpty }) {
                throw OfferError(.contradiction, field: "shippingMethods", "a pickup has no regions")
            }
        case (_, .some):
            throw OfferError(.contradiction, field: "pickup", "only storePickup and servicePickup have a place")
        case (_, nil): break
        }
        guard request.shippingType != nil else { return }
        for (index, method) in request.shippingMethods.enumerated() where method.detail.isEmpty && method.arrival == nil
        {
            throw OfferError(
                .missing, field: "shippingMethods[\(index)].arrival",
                "the sheet shows when the goods arrive or can be picked up: give detail or arrival")
        }
    }

    private func checkDigitalGoods() throws(OfferError) {
        guard request.isDigital else { return }
        let shipped: [(field: String, isUsed: Bool)] = [
            ("shippingMethods", !request.shippingMethods.isEmpty), ("shippingType", request.shippingType != nil),
            ("shippingContactFields", request.shippingContactFields.contains(.postalAddress)),
        ]
        for (field, isUsed) in shipped where isUsed {
            throw OfferError(.contradiction, field: field, "digital goods go to an e-mail address")
        }
    }
}

extension OfferRequest {
    /// The contact that the sheet asks for: what the shop said, and what its goods need.
    public var requiredShippingFields: [ContactField] {
        var fields = Set(shippingContactFields)
        if isDigital { fields.insert(.email) }
        let isShipped = shippingType.map { !$0.isPickup } ?? false
        if isShipped || shippingMethods.contains(where: { !$0.regions.isEmpty }) {
            fields.formUnion([.name, .postalAddress])
        }
        return ContactField.allCases.filter(fields.contains)
    }
}
