import Contracts
import LedgerFixtures
import OrchardJSON
import Testing

@testable import Ledger

@Suite("The data for Apple's sheet")
struct PaymentSheetTests {
    private func sheet(_ request: OfferRequest = Shop.request, method: String? = nil) throws -> PaymentSheet {
        PaymentSheet(
            order: Shop.order, merchant: try #require(Shop.merchant),
            offer: try Offer(request, revision: 1, method.map { OfferChoice(shippingMethod: $0) }))
    }

    private func text(_ write: (inout JSONObjectWriter) -> Void) -> String {
        String(decoding: JSONWriter.object(write), as: UTF8.self)
    }

    @Test("The request has sums, no goods, and the order id for Apple to sign")
    func request() throws {
        let sheet = try sheet()
        #expect(
            text(sheet.writeRequest) == """
                {"applicationData":"MDEwMTAxMDEwMTAxODEwMTgxMDEwMTAxMDEwMTAxMDE=","countryCode":"CN",\
                "currencyCode":"CNY","lineItems":[{"amount":"100.00","label":"Subtotal","type":"final"},\
                {"amount":"-5.00","label":"Discount","type":"final"},{"amount":"8.00","label":"Shipping","type":"final"},\
                {"amount":"6.00","label":"Tax","type":"final"}],"merchantCapabilities":["supports3DS","supportsEMV"],\
                "shippingMethods":[{"amount":"8.00","detail":"3 days","identifier":"post","label":"Post"},\
                {"amount":"20.00","detail":"","identifier":"courier","label":"Courier"}],\
                "supportedNetworks":["chinaUnionPay","visa"],\
                "total":{"amount":"109.00","label":"Orchard Tea","type":"final"}}
                """)
    }

    @Test(
        "The store's own cards are offered where a route names them, in both spellings",
        arguments: [
            (#""paymentData": ["EMV"],"#, false),
            (#""paymentData": ["EMV"], "networks": ["privateLabel", "visa"],"#, true),
        ])
    func privateLabel(_ route: String, _ isOffered: Bool) throws {
        let text = Shop.registryJSON.replacing(
            #""networks": ["chinaUnionPay", "visa"],"#,
            with: #""networks": ["visa", "privateLabel"], "privateLabelRanges": ["603574"],"#
        ).replacing(#""paymentData": ["EMV"],"#, with: route)
        let merchant = try #require(try MerchantRegistry(parsing: Array(text.utf8)).merchants.first)
        let sheet = PaymentSheet(order: Shop.order, merchant: merchant, offer: try Offer(Shop.request, revision: 1))
        func networks(_ write: (inout JSONObjectWriter) -> Void) throws -> [String?]? {
            try JSONValue(parsing: JSONWriter.object(write))["supportedNetworks"]?.array?.map(\.string)
        }
        #expect(try networks(sheet.writeRequest) == (isOffered ? ["visa", "privateLabel"] : ["visa"]))
        #expect(try networks(sheet.writePassKitRequest) == (isOffered ? ["Visa", "PrivateLabel"] : ["Visa"]))
        #expect(CardAcceptance(merchant, .cny).networks.contains(.privateLabel) == isOffered)
    }

    @Test("applicationData is the base64 of the order id's 32 digits")
    func applicationData() throws {
        let value = try JSONValue(parsing: JSONWriter.object(try sheet().writeRequest))
        #expect(value["applicationData"]?.string == "MDEwMTAxMDEwMTAxODEwMTgxMDEwMTAxMDEwMTAxMDE=")
        #expect(Shop.order.description == "01010101010181018101010101010101")
    }

    @Test("The chosen method comes first, because the sheet preselects the first")
    func chosenFirst() throws {
        let value = try JSONValue(parsing: JSONWriter.object(try sheet(method: "courier").writeRequest))
        #expect(value["shippingMethods"]?[0]?["identifier"]?.string == "courier")
        #expect(value["shippingMethods"]?.array?.count == 2)
    }

    @Test("An update has new sums and the new total")
    func update() throws {
        let sheet = try sheet(method: "courier")
        #expect(
            text(SheetUpdate(.shippingMethod, sheet).write) == """
                {"shippingMethodUpdate":{"newLineItems":[{"amount":"100.00","label":"Subtotal","type":"final"},\
                {"amount":"-5.00","label":"Discount","type":"final"},{"amount":"20.00","label":"Shipping","type":"final"},\
                {"amount":"7.20","label":"Tax","type":"final"}],\
                "newShippingMethods":[{"amount":"20.00","detail":"","identifier":"courier","label":"Courier"},\
                {"amount":"8.00","detail":"3 days","identifier":"post","label":"Post"}],\
                "newTotal":{"amount":"122.20","label":"Orchard Tea","type":"final"}}}
                """)
    }

    @Test(
        "A lone total is shown alone, and decimals are the currency's", arguments: [("JPY", "1500"), ("KWD", "1.500")])
    func plain(_ code: String, _ amount: String) throws {
        let request = OfferRequest(
            currency: try #require(Currency(code)), lines: [OfferLine(label: "Song", unitAmount: 1_500)])
        let value = try JSONValue(parsing: JSONWriter.object(try sheet(request).writeRequest))
        #expect(value["lineItems"] == nil)
        #expect(value["shippingMethods"] == nil)
        #expect(value["total"]?["amount"]?.string == amount)
    }

    @Test("Another payee is shown on the total, in the order's language, if the merchant may name one")
    func payee() throws {
        let text = Shop.registryJSON.replacing(
            #""countryCode": "CN","#, with: #""countryCode": "CN", "allowPayeeName": true,"#)
        let merchant = try #require(try MerchantRegistry(parsing: Array(text.utf8)).merchants.first)
        var request = Shop.request
        request.payeeName = "Tea Garden"
        for (language, name) in [
            (SheetLanguage.english, "Tea Garden (via Orchard Tea)"), (.chinese, "Tea Garden（由Orchard Tea收款）"),
        ] {
            request.language = language
            #expect(throws: Never.self) { try OfferRules(request, of: merchant).check(at: Shop.now) }
            let sheet = PaymentSheet(order: Shop.order, merchant: merchant, offer: try Offer(request, revision: 1))
            let web = try JSONValue(parsing: JSONWriter.object(sheet.writeRequest))
            let app = try JSONValue(parsing: JSONWriter.object(sheet.writePassKitRequest))
            #expect(web["total"]?["label"]?.string == name)
            #expect(app["paymentSummaryItems"]?.array?.last?["label"]?.string == name)
        }
    }

    /// The properties of `PKPaymentRequest` by their kind, as its header declares them: an enumeration is an integer there.
    private static let passKit: [String: String] = [
        "merchantIdentifier": "string", "merchantCapabilities": "integer", "supportedNetworks": "array",
        "countryCode": "string", "currencyCode": "string", "paymentSummaryItems": "array", "shippingMethods": "array",
        "shippingType": "integer", "billingContact": "object", "shippingContact": "object", "applicationData": "string",
        "requiredBillingContactFields": "array", "requiredShippingContactFields": "array",
        "supportedCountries": "array",
        "supportsCouponCode": "bool", "couponCode": "string", "shippingContactEditingMode": "integer",
        "multiTokenContexts": "array", "recurringPaymentRequest": "object", "automaticReloadPaymentRequest": "object",
        "deferredPaymentRequest": "object", "applePayLaterAvailability": "integer", "merchantCategoryCode": "integer",
    ]

    @Test(
        "PassKit's request has properties of PKPaymentRequest alone, and says the same as the web's",
        arguments: FullOrder.all)
    func passKit(_ text: String) throws {
        var request = try OfferRequest(parsing: Array(text.utf8))
        request.couponCode = request.coupons.first?.code
        let sheet = PaymentSheet(
            order: Shop.order, merchant: try #require(Shop.merchant),
            offer: try Offer(request, revision: 1, request.initialChoice))
        let web = try JSONValue(parsing: JSONWriter.object(sheet.writeRequest))
        let app = try JSONValue(parsing: JSONWriter.object(sheet.writePassKitRequest))
        for member in app.members ?? [] {
            let kind: String =
                switch member.value {
                case .string: "string"
                case .integer: "integer"
                case .bool: "bool"
                case .array: "array"
                case .object: "object"
                default: "another"
                }
            #expect(Self.passKit[member.name] == kind, "\(member.name)")
        }
        // Everything that the web's request has, this one has; the total is the last line.
        let names = Set(app.members?.map(\.name) ?? [])
        let missing = Set(web.members?.map(\.name) ?? []).subtracting(names)
        #expect(missing.isSubset(of: ["lineItems", "total"]), "\(missing)")
        let lines = (web["lineItems"]?.array ?? []) + [web["total"]].compactMap(\.self)
        #expect(app["paymentSummaryItems"]?.array?.map { $0["amount"] } == lines.map { $0["amount"] })
        #expect(app["paymentSummaryItems"]?.array?.map { $0["label"] } == lines.map { $0["label"] })
        let same = [
            "applicationData", "billingContact", "shippingContact", "countryCode", "couponCode", "currencyCode",
            "shippingMethods", "supportsCouponCode", "recurringPaymentRequest", "deferredPaymentRequest",
            "automaticReloadPaymentRequest",
        ]
        for name in same { #expect(app[name] == web[name], "\(name)") }
        let types = ["shipping", "delivery", "storePickup", "servicePickup"]
        #expect(app["shippingType"]?.integer.map { types[Int($0)] } == web["shippingType"]?.string)
        #expect(app["shippingContactEditingMode"]?.integer == (request.pickup == nil ? nil : 2))
        let bits: [String: Int64] = ["supports3DS": 1, "supportsEMV": 2, "supportsCredit": 4, "supportsDebit": 8]
        let capabilities = web["merchantCapabilities"]?.array?.compactMap { $0.string.flatMap { bits[$0] } } ?? []
        #expect(app["merchantCapabilities"]?.integer == capabilities.reduce(0, |))
    }
}
