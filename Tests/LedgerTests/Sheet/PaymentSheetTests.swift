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
}
