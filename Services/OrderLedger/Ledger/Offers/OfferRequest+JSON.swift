import Contracts
import OrchardJSON

extension OfferRequest {
    /// The largest accepted counts: an order is a shopping basket, not a catalogue.
    static let maximumLines = 200
    static let maximumDiscounts = 20
    static let maximumShippingMethods = 20
    static let maximumCoupons = 50
    /// Apple: the sheet has few lines.
    static let maximumExtraLines = 6
    static let maximumMetadata = 20

    /// Reads the body of `POST /v1/orders`:
    ///
    ///     {"currency": "CNY", "reference": "A-1001",
    ///      "lines": [{"label": "Tea", "unitAmount": "12.50", "quantity": 2, "tax": "1.50"}],
    ///      "discounts": [{"label": "Welcome", "amount": "5.00"}],
    ///      "shippingMethods": [{"identifier": "post", "label": "Post", "detail": "3 days", "amount": "8.00"}],
    ///      "shippingMethod": "post", "payee": "32 hex digits"}
    ///
    /// docs/orders.md has every member. Amounts are text with exactly the currency's decimals, so that nobody takes minor
    /// units for them. Members that are not known are refused: a misspelt discount must not become a dearer order.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        // The currency says how decimals are read, and members come in any order: hence two passes over the text.
        let currency = try JSONReader.read(bytes) { reader throws(JSONError) in
            var currency: Currency?
            try reader.object { reader, name throws(JSONError) in
                if name == "currency" { currency = try reader.currency() } else { try reader.skip() }
            }
            return try reader.required(currency, "currency")
        }
        self = try JSONReader.read(bytes) { reader throws(JSONError) in
            var request = OfferRequest(currency: currency, lines: [])
            try reader.object { reader, name throws(JSONError) in
                if try request.readGoods(name, &reader) { return }
                if try !request.readSheet(name, &reader) { throw reader.unknownMember() }
            }
            // An empty list is refused where it stands.
            _ = try reader.required(request.lines.first, "lines")
            request.shippingMethod = request.shippingMethod ?? request.shippingMethods.first?.identifier
            return request
        }
    }

    /// The canonical text, which ``init(parsing:)`` reads: two requests are the same when these bytes are. Members that
    /// were added after the first version are left out at their defaults, so that older texts stay as they are.
    public var json: [UInt8] {
        JSONWriter.object { object in
            if billingPlan?.kind == .automaticReload { writePlan(to: &object) }
            write(billingContactFields, "billingContactFields", to: &object)
            if captureMode != .sale { object.member("captureMode", captureMode.rawValue) }
            if !cardTypePrices.isEmpty {
                object.array("cardTypePrices") { array in
                    for price in cardTypePrices { array.object { price.write(to: &$0, in: currency) } }
                }
            }
            if let cardTypes { object.member("cardTypes", cardTypes.map(\.rawValue)) }
            object.member("couponCode", couponCode)
            if !coupons.isEmpty {
                object.array("coupons") { array in
                    for coupon in coupons { array.object { coupon.write(to: &$0, in: currency) } }
                }
            }
            object.member("currency", currency.code)
            if billingPlan?.kind == .deferredPayment { writePlan(to: &object) }
            if isDigital { object.member("digitalGoods", true) }
            object.array("discounts") { array in
                for discount in discounts { array.object { discount.write(to: &$0, in: currency) } }
            }
            object.member("environment", environment?.rawValue)
            object.member("expiresAt", expiresAt?.description)
            if !extraLines.isEmpty {
                object.array("extraLines") { array in
                    for line in extraLines { array.object { line.write(to: &$0, in: currency) } }
                }
            }
            if language != .english { object.member("language", language.rawValue) }
            object.array("lines") { array in for line in lines { array.object { line.write(to: &$0, in: currency) } } }
            if !metadata.isEmpty {
                object.object("metadata") { object in
                    for (name, value) in metadata.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                        object.member(name, value)
                    }
                }
            }
            object.member("payee", payee?.description)
            object.member("payeeName", payeeName)
            if isTotalPending { object.member("pendingTotal", true) }
            if let pickup { object.object("pickup") { pickup.write(to: &$0) } }
            if billingPlan?.kind == .recurringPayment { writePlan(to: &object) }
            object.member("reference", reference)
            write(shippingContactFields, "shippingContactFields", to: &object)
            object.member("shippingMethod", shippingMethod)
            object.array("shippingMethods") { array in
                for method in shippingMethods { array.object { method.write(to: &$0, in: currency) } }
            }
            object.member("shippingType", shippingType?.rawValue)
        }
    }

    private func writePlan(to object: inout JSONObjectWriter) {
        guard let plan = billingPlan else { return }
        object.object(plan.kind.rawValue) { plan.write(to: &$0, in: currency) }
    }

    private func write(_ fields: [ContactField], _ name: String, to object: inout JSONObjectWriter) {
        if !fields.isEmpty { object.member(name, fields.map(\.rawValue)) }
    }
}

extension OfferRequest {
    /// Reads a member that says what is sold; false for another.
    private mutating func readGoods(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        let currency = currency
        switch name {
        case "currency": try reader.skip()
        case "discounts": discounts = try reader.discounts(in: currency)
        case "extraLines": extraLines = try reader.extraLines(in: currency)
        case "lines": lines = try reader.offerLines(in: currency)
        case "payee": payee = try reader.identifier()
        case "reference": reference = try reader.columnText(upTo: 64)
        case "shippingMethod": shippingMethod = try reader.plainIdentifier()
        case "shippingMethods":
            shippingMethods = try reader.list(upTo: Self.maximumShippingMethods) { reader throws(JSONError) in
                try ShippingMethod(json: &reader, currency: currency)
            }
            if Set(shippingMethods.map(\.identifier)).count != shippingMethods.count {
                throw reader.error(.value, "two shipping methods have the same identifier")
            }
            if Set(shippingMethods.flatMap(\.regions)).count > ShippingMethod.maximumRegions {
                throw reader.error(.size, "an order has at most \(ShippingMethod.maximumRegions) different regions")
            }
        case "coupons":
            coupons = try reader.list(upTo: Self.maximumCoupons) { reader throws(JSONError) in
                try Coupon(json: &reader, currency: currency)
            }
            if Set(coupons.map { $0.code.lowercased() }).count != coupons.count {
                throw reader.error(.value, "two coupons have the same code")
            }
        case "cardTypePrices":
            cardTypePrices = try reader.list(upTo: CardType.allCases.count) { reader throws(JSONError) in
                try CardTypePrice(json: &reader, currency: currency)
            }
            let types = cardTypePrices.flatMap(\.cardTypes)
            if Set(types).count != types.count { throw reader.error(.value, "a card type is in one rule at most") }
        default: return false
        }
        return true
    }

    /// Reads a member that says what the sheet shows and asks; false for another.
    private mutating func readSheet(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case "automaticReload", "deferredPayment", "recurringPayment":
            guard billingPlan == nil else { throw reader.error(.value, "an order has one billing plan at most") }
            let kind = BillingPlan.Kind(rawValue: name.description) ?? .recurringPayment
            billingPlan = try BillingPlan(json: &reader, kind: kind, currency: currency)
        // `PresetContacts` reads these: an offer keeps no personal data.
        case "billingContact", "shippingContact": try reader.skip()
        case "billingContactFields": billingContactFields = try reader.contactFields()
        case "captureMode": captureMode = try reader.word()
        case "cardTypes": cardTypes = try reader.cardTypes()
        case "couponCode": couponCode = try reader.plainIdentifier()
        case "digitalGoods": isDigital = try reader.bool()
        case "environment": environment = try reader.word()
        case "expiresAt": expiresAt = Timestamp(seconds: try reader.timestamp().seconds)
        case "language": language = try reader.word()
        case "metadata": metadata = try reader.texts(upTo: Self.maximumMetadata)
        case "multiTokenContexts":
            throw reader.error(
                .value,
                "one sheet for several merchants is not possible: no acquirer here charges their shares; "
                    + "open an order for each merchant")
        case "payeeName": payeeName = try reader.string(upTo: 64)
        case "pendingTotal": isTotalPending = try reader.bool()
        case "pickup": pickup = try PaymentContact(json: &reader)
        case "shippingContactFields": shippingContactFields = try reader.contactFields()
        case "shippingType": shippingType = try reader.word()
        default: return false
        }
        return true
    }
}

extension JSONReader {
    mutating func discounts(in currency: Currency) throws(JSONError) -> [OfferDiscount] {
        try list(upTo: OfferRequest.maximumDiscounts) { reader throws(JSONError) in
            try OfferDiscount(json: &reader, currency: currency)
        }
    }

    mutating func extraLines(in currency: Currency) throws(JSONError) -> [ExtraLine] {
        try list(upTo: OfferRequest.maximumExtraLines) { reader throws(JSONError) in
            try ExtraLine(json: &reader, currency: currency)
        }
    }

    /// Reads what is sold: at least one line.
    mutating func offerLines(in currency: Currency) throws(JSONError) -> [OfferLine] {
        let lines = try list(upTo: OfferRequest.maximumLines) { reader throws(JSONError) in
            try OfferLine(json: &reader, currency: currency)
        }
        if lines.isEmpty { throw error(.value, "an order has at least one line") }
        return lines
    }

    /// Reads an object of short texts.
    fileprivate mutating func texts(upTo limit: Int) throws(JSONError) -> [String: String] {
        var texts: [String: String] = [:]
        try object { reader, name throws(JSONError) in
            guard texts.count < limit else { throw reader.error(.size, "at most \(limit) members are allowed") }
            guard (1...64).contains(name.count) else {
                throw reader.error(.value, "a name has 1 to 64 bytes")
            }
            let text = try reader.string()
            guard text.utf8.count <= 500 else { throw reader.error(.value, "the string must have at most 500 bytes") }
            texts[name.description] = text
        }
        return texts
    }
}
