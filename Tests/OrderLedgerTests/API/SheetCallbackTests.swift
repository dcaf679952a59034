import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The sheet's callbacks")
struct SheetCallbackTests {
    private static func send(
        _ shop: TestShop, _ order: TestShop.Opened, _ route: String, _ body: String, ticket: String? = nil
    ) async throws -> HTTPResponse {
        try await shop.send(
            .post, "/v1/orders/\(order.id)/\(route)", bearer: ticket ?? order.ticket, body: Array(body.utf8))
    }

    private static func open(_ shop: TestShop, _ text: String = FullOrder.json) async throws -> TestShop.Opened {
        try await shop.open(OfferRequest(parsing: Array(text.utf8)))
    }

    @Test("An address that is served gets its methods, a new revision and a ticket for its region")
    func served() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let answer = try await Self.send(
                shop, order, "shipping-contact",
                #"{"shippingContact":{"countryCode":"CN","administrativeArea":"四川省","locality":"成都市"}}"#)
            #expect(answer.status == .ok, "\(answer.text)")
            let json = try answer.json
            #expect(json["revision"]?.integer == 2)
            let methods = json["shippingContactUpdate"]?["newShippingMethods"]?.array ?? []
            #expect(methods.map { $0["identifier"]?.string } == ["post"])
            #expect(json["shippingContactUpdate"]?["errors"] == nil)
            let ticket = try shop.tickets.verify(try #require(json["ticket"]?.string), for: .charging)
            #expect(ticket.region?.description == "CN")
            // The address itself is kept nowhere.
            let rows = try await shop.ledger.owner.query(
                "SELECT value FROM ledger.outbox UNION ALL SELECT request FROM ledger.offered_orders")
            for row in rows { #expect(!String(decoding: try row.bytes("value"), as: UTF8.self).contains("成都市")) }
        }
    }

    @Test("An address that is not served gets Apple's error and field; price and ticket stay")
    func unserved() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let answer = try await Self.send(
                shop, order, "shipping-contact", #"{"shippingContact":{"countryCode":"JP"}}"#)
            let json = try answer.json
            #expect(json["revision"]?.integer == 1)
            let error = json["shippingContactUpdate"]?["errors"]?[0]
            #expect(error?["code"]?.string == "addressUnserviceable")
            #expect(error?["contactField"]?.string == "countryCode")
            let passKit = json["passKitUpdate"]?["errors"]?[0]
            #expect(passKit?["code"]?.integer == 3)
            #expect(passKit?["domain"]?.string == "PKPaymentErrorDomain")
            #expect(
                json["shippingContactUpdate"]?["newTotal"]?["amount"]
                    == order.answer["paymentRequest"]?["total"]?["amount"])
        }
    }

    @Test("A coupon changes the price; a wrong one is an error in Apple's words and no coupon")
    func coupon() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let right = try await Self.send(shop, order, "coupon-code", #"{"couponCode":"tea10"}"#).json
            #expect(right["couponCodeUpdate"]?["newTotal"]?["amount"]?.string == "103.80")
            let labels = right["couponCodeUpdate"]?["newLineItems"]?.array?.compactMap { $0["label"]?.string }
            #expect(labels == ["小计", "Gift wrap", "优惠", "Tea week", "运费", "税费"])
            var ticket = try #require(right["ticket"]?.string)
            for (code, expected) in [("NO", "couponCodeInvalid"), ("OLD", "couponCodeExpired")] {
                let wrong = try await Self.send(
                    shop, order, "coupon-code", #"{"couponCode":"\#(code)"}"#, ticket: ticket)
                let json = try wrong.json
                #expect(json["couponCodeUpdate"]?["errors"]?[0]?["code"]?.string == expected, "\(wrong.text)")
                #expect(json["couponCodeUpdate"]?["newTotal"]?["amount"]?.string == "114.30")
                ticket = try #require(json["ticket"]?.string)
            }
        }
    }

    @Test("The type of the card changes the price where a rule says so, and the ticket names the type")
    func paymentMethod() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop, FullOrder.cards)
            let capabilities = order.answer["paymentRequest"]?["merchantCapabilities"]?.array?.compactMap(\.string)
            #expect(capabilities == ["supports3DS", "supportsEMV", "supportsCredit", "supportsDebit"])
            let first = try shop.tickets.verify(order.ticket, for: .charging)
            #expect(first.cardTypes == [.debit])
            let answer = try await Self.send(
                shop, order, "payment-method", #"{"paymentMethod":{"type":"credit","network":"Visa"}}"#)
            let json = try answer.json
            #expect(json["paymentMethodUpdate"]?["newTotal"]?["amount"]?.string == "51.00")
            let ticket = try shop.tickets.verify(try #require(json["ticket"]?.string), for: .charging)
            #expect(ticket.cardTypes == [.credit])
            #expect(ticket.amount.minorUnits == 5_100)
        }
    }

    @Test("A repeated callback changes nothing; a device that has not seen the newest price cannot change it")
    func repeated() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let body = #"{"couponCode":"TEA10"}"#
            let first = try await Self.send(shop, order, "coupon-code", body).json
            // The answer was lost: the device sends it again, with its old ticket.
            let again = try await Self.send(shop, order, "coupon-code", body).json
            #expect(again["revision"]?.integer == 2)
            #expect(again["couponCodeUpdate"] == first["couponCodeUpdate"])
            let stale = try await Self.send(shop, order, "shipping-method", #"{"shippingMethod":"courier"}"#)
            #expect(stale.status == .conflict)
            #expect(try stale.json["code"]?.string == "ticket-superseded")
        }
    }

    @Test("What was chosen survives: it is read back, audited, and priced the same")
    func stored() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            var ticket = order.ticket
            for (route, body) in [
                ("coupon-code", #"{"couponCode":"TEA10"}"#),
                ("shipping-contact", #"{"shippingContact":{"countryCode":"CN","postalCode":"100010"}}"#),
                ("shipping-method", #"{"shippingMethod":{"identifier":"courier"}}"#),
            ] {
                let answer = try await Self.send(shop, order, route, body, ticket: ticket)
                #expect(answer.status == .ok, "\(answer.text)")
                ticket = try #require(try answer.json["ticket"]?.string)
            }
            let row = try await shop.ledger.owner.query("SELECT * FROM ledger.offers ORDER BY revision DESC LIMIT 1")[0]
            #expect(try row.string("region") == "CN//100")
            #expect(try row.int64("coupon") == 1)
            try await shop.journal(order)
            let report = try await shop.ledger.audit()
            #expect(report.errors == 0 && report.warnings == 0, "\(report.text)")
        }
    }

    @Test(
        "Wrong input is refused with the field named, and changes nothing",
        arguments: [
            ("shipping-contact", #"{"shippingContact":7}"#, 400, "shippingContact"),
            (
                "shipping-contact", #"{"shippingContact":{"locality":"\#(String(repeating: "x", count: 600))"}}"#, 422,
                "shippingContact.locality"
            ),
            ("coupon-code", #"{"couponCode":"\#(String(repeating: "x", count: 300))"}"#, 422, "couponCode"),
            ("payment-method", #"{"paymentMethod":"credit"}"#, 400, "paymentMethod"),
            ("shipping-method", #"{"shippingMethod":"rocket"}"#, 422, "shippingMethod"),
            ("shipping-method", #"{"shippingMethod":{}}"#, 422, "shippingMethod.identifier"),
        ])
    func wrong(_ route: String, _ body: String, _ status: Int, _ field: String) async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let answer = try await Self.send(shop, order, route, body)
            #expect(answer.status.code == status, "\(answer.text)")
            #expect(try answer.json["field"]?.string == field)
            let other = try await Self.open(shop)
            let foreign = try await Self.send(
                shop, order, "coupon-code", #"{"couponCode":"TEA10"}"#, ticket: other.ticket)
            #expect(foreign.status == .notFound)
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offers").count == 2)
        }
    }
}
