import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import OrderLedger

/// Each update object, error and status of Apple's that order-ledger answers with, asked for over a socket.
/// `PaymentErrorsOverHTTPTests` has the errors of token-ingest.
@Suite("Apple's updates, errors and statuses over HTTP")
struct SheetOverHTTPTests {
    /// Goes to Shanghai, and to postal codes of Beijing alone.
    private static let narrow = """
        {"currency":"CNY","lines":[{"label":"Tea","unitAmount":"50.00"}],"shippingMethods":[
         {"identifier":"a","label":"A","detail":"today","amount":"1.00","regions":["CN/上海市","CN/北京市/100"]}]}
        """

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var order = FullOrder.json
        let route: String
        let body: String
        /// The update object's name and its members.
        let update: String
        let members: Set<String>
        /// As on the web: code and contactField.
        var error: [String?] = []
        /// Of PassKit: code, contactField and key of the postal address.
        var passKit: [String] = []

        static let all: Set<String> = ["newLineItems", "newShippingMethods", "newTotal"]
    }

    static let cases = [
        Case(
            testDescription: "an address that is served", route: "shipping-contact",
            body: #"{"shippingContact":{"countryCode":"CN"}}"#, update: "shippingContactUpdate", members: Case.all),
        Case(
            testDescription: "another method", route: "shipping-method", body: #"{"shippingMethod":"courier"}"#,
            update: "shippingMethodUpdate", members: Case.all),
        Case(
            testDescription: "another card", order: FullOrder.cards, route: "payment-method",
            body: #"{"paymentMethod":{"type":"credit"}}"#, update: "paymentMethodUpdate",
            members: ["newLineItems", "newTotal"]),
        Case(
            testDescription: "a coupon", route: "coupon-code", body: #"{"couponCode":"TEA10"}"#,
            update: "couponCodeUpdate", members: Case.all),
        Case(
            testDescription: "another country", route: "shipping-contact",
            body: #"{"shippingContact":{"countryCode":"JP"}}"#, update: "shippingContactUpdate",
            members: Case.all.union(["errors"]), error: ["addressUnserviceable", "countryCode"],
            passKit: ["3", "postalAddress", "ISOCountryCode"]),
        Case(
            testDescription: "another part of the country", order: narrow, route: "shipping-contact",
            body: #"{"shippingContact":{"countryCode":"cn","administrativeArea":"四川省"}}"#,
            update: "shippingContactUpdate", members: Case.all.union(["errors"]),
            error: ["addressUnserviceable", "administrativeArea"], passKit: ["3", "postalAddress", "state"]),
        Case(
            testDescription: "another postal code", order: narrow, route: "shipping-contact",
            body: #"{"shippingContact":{"countryCode":"cn","administrativeArea":"北京市","postalCode":"102"}}"#,
            update: "shippingContactUpdate", members: Case.all.union(["errors"]),
            error: ["addressUnserviceable", "postalCode"], passKit: ["3", "postalAddress", "postalCode"]),
        Case(
            testDescription: "no coupon of the order", route: "coupon-code", body: #"{"couponCode":"NO"}"#,
            update: "couponCodeUpdate", members: Case.all.union(["errors"]), error: ["couponCodeInvalid", nil],
            passKit: ["4"]),
        Case(
            testDescription: "a coupon of last year", route: "coupon-code", body: #"{"couponCode":"OLD"}"#,
            update: "couponCodeUpdate", members: Case.all.union(["errors"]), error: ["couponCodeExpired", nil],
            passKit: ["5"]),
        Case(
            testDescription: "a card that may not pay", order: FullOrder.cards, route: "payment-method",
            body: #"{"paymentMethod":{"type":"prepaid"}}"#, update: "paymentMethodUpdate",
            members: ["errors", "newTotal", "newLineItems"], error: ["unknown", nil], passKit: ["-1"]),
    ]

    @Test("A callback is answered with Apple's update object, and with an error for what is wrong", arguments: cases)
    func callback(_ example: Case) async throws {
        try await TestShop.withServer { served in
            let opened = await served.post("/v1/orders", bearer: Shop.apiKey, example.order)
            let order = try #require(try opened?.json)
            let path = "/v1/orders/\(order["orderId"]?.string ?? "")/\(example.route)"
            let answer = try #require(await served.post(path, bearer: order["ticket"]?.string, example.body))
            #expect(answer.status == .ok, "\(answer.text)")
            let json = try answer.json
            let update = json[example.update]
            #expect(Set(update?.members?.map(\.name) ?? []).symmetricDifference(example.members) == [])
            let passKit = json["passKitUpdate"]
            #expect(passKit?["status"]?.integer == 0)
            #expect(passKit?["paymentSummaryItems"]?.array?.last?["amount"] == update?["newTotal"]?["amount"])
            #expect((passKit?["shippingMethods"] != nil) == example.members.contains("newShippingMethods"))
            let errors = (update?["errors"]?.array ?? [], passKit?["errors"]?.array ?? [])
            guard !example.error.isEmpty else {
                #expect(errors.0.isEmpty && errors.1.isEmpty)
                return #expect(json["revision"]?.integer == 2)
            }
            #expect(json["revision"]?.integer == 1, "the price stays")
            #expect(errors.0.map { [$0["code"]?.string, $0["contactField"]?.string] } == [example.error])
            #expect(errors.0.first?["message"]?.string?.isEmpty == false)
            let passKitError = errors.1.first
            #expect(errors.1.count == 1 && passKitError?["domain"]?.string == "PKPaymentErrorDomain")
            #expect(passKitError?["localizedDescription"] == errors.0.first?["message"])
            let code = passKitError?["code"]?.integer.map { "\($0)" }
            #expect(
                [code, passKitError?["contactField"]?.string, passKitError?["postalAddressKey"]?.string].compactMap(
                    \.self)
                    == example.passKit)
        }
    }

    @Test("Every code of ApplePayErrorCode is in a case here, or is one of a payment's contact")
    func complete() {
        let codes = Set(Self.cases.compactMap { $0.error.first ?? nil })
        let contact: Set = [SheetError.Code.shippingContactInvalid, .billingContactInvalid]
        #expect(
            codes
                == Set(SheetError.Code.allCases).subtracting(contact).map(\.rawValue).reduce(into: []) { $0.insert($1) }
        )
    }

    @Test(
        "A payment is completed with each status of Apple's",
        arguments: [
            (PaymentEvent.succeeded, "STATUS_SUCCESS", 0), (.declined, "STATUS_FAILURE", 1),
            (.declined(.incorrectPIN, nil), "STATUS_PIN_INCORRECT", 6),
            (.declined(.pinTriesExceeded, nil), "STATUS_PIN_LOCKOUT", 7), (.unknown, "STATUS_SUCCESS", 0),
        ])
    func status(_ event: PaymentEvent, _ status: String, _ passKit: Int64) async throws {
        try await TestShop.withServer { served in
            let order = try await served.shop.open()
            let amount = try Shop.totals().amount
            try await served.shop.journal(order, order.history.payment(amount: amount, .accepted, event))
            let path = "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))"
            let answer = try #require(await served.send(.get, path, bearer: order.ticket))
            #expect(try answer.json["applePay"]?["status"]?.string == status, "\(answer.text)")
            #expect(try answer.json["applePay"]?["passKit"]?["status"]?.integer == passKit)
            #expect(try answer.json["status"]?.string != (event == .unknown ? "processing" : "confirming"))
        }
    }
}
