import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

/// Everything that a caller can do wrong, over a socket. Each case gets a problem that says what is wrong and where.
@Suite("Wrong input over HTTP")
struct WrongInputTests {
    /// The caller.
    enum Caller: Sendable {
        case shop, otherShop, device, otherDevice, expired, nobody
        case bearing(String)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let caller: Caller
        let method: HTTPMethod
        /// `ORDER` stands for the order's id.
        let path: String
        let body: [UInt8]
        let fields: HTTPFields
        let status: Int
        let code: String
        let field: String?

        init(
            _ name: String, _ method: HTTPMethod, _ path: String, as caller: Caller, _ body: String,
            fields: HTTPFields = ["Content-Type": "application/json"], _ status: Int, _ code: String,
            _ field: String? = nil
        ) {
            self.init(name, method, path, as: caller, bytes: Array(body.utf8), fields: fields, status, code, field)
        }

        init(
            _ name: String, _ method: HTTPMethod, _ path: String, as caller: Caller, bytes: [UInt8] = [],
            fields: HTTPFields = ["Content-Type": "application/json"], _ status: Int, _ code: String,
            _ field: String? = nil
        ) {
            testDescription = name
            self.method = method
            self.path = path
            self.caller = caller
            body = bytes
            self.fields = fields
            self.status = status
            self.code = code
            self.field = field
        }
    }

    private static func order(_ line: String, _ more: String = "", currency: String = #""CNY""#) -> String {
        #"{"currency":\#(currency),"lines":[{\#(line)}]\#(more)}"#
    }

    private static func opening(
        _ name: String, _ body: String, _ status: Int, _ field: String, code: String = "invalid-body"
    ) -> Case {
        Case("an order \(name)", .post, "/v1/orders", as: .shop, body, status, code, field)
    }

    private static let tea = #""label":"Tea","unitAmount":"12.50""#
    private static let payment = Shop.paymentID(1)

    static let openings = [
        opening("that is cut off", #"{"currency":"CNY","#, 400, "currency"),
        Case("an order without a body", .post, "/v1/orders", as: .shop, 415, "unsupported-media-type"),
        opening("that is blank", " ", 400, ""),
        opening("that is a list", "[]", 400, ""),
        opening("with text behind it", order(tea) + "x", 400, ""),
        opening("with a member twice", order(tea + #","label":"Cup""#), 400, "lines[0].label"),
        opening("with currency twice", #"{"currency":"CNY","currency":"JPY","lines":[]}"#, 400, "currency"),
        opening("with an unknown member", order(tea, #","discount":1"#), 422, "discount"),
        opening("without a currency", #"{"lines":[{\#(tea)}]}"#, 422, "currency"),
        opening("in no currency", order(tea, currency: #""XXX""#), 422, "currency"),
        opening("in lower case", order(tea, currency: #""cny""#), 422, "currency"),
        opening("in a number", order(tea, currency: "156"), 400, "currency"),
        opening("without lines", #"{"currency":"CNY"}"#, 422, "lines"),
        opening("with no line", #"{"currency":"CNY","lines":[]}"#, 422, "lines"),
        opening("with null for lines", #"{"currency":"CNY","lines":null}"#, 400, "lines"),
        opening("with a line without a label", order(#""unitAmount":"1.00""#), 422, "lines[0].label"),
        opening(
            "with a label of 129 bytes",
            order(#""unitAmount":"1.00","label":"\#(String(repeating: "x", count: 129))""#),
            422, "lines[0].label"),
        opening("without a price", order(#""label":"Tea""#), 422, "lines[0].unitAmount"),
        opening("with a negative price", order(#""label":"Tea","unitAmount":"-1.00""#), 422, "lines[0].unitAmount"),
        opening("with a negative decimal", order(#""label":"Tea","unitAmount":"-0.01""#), 422, "lines[0].unitAmount"),
        opening("with a fraction of a fen", order(#""label":"Tea","unitAmount":"0.001""#), 422, "lines[0].unitAmount"),
        opening("with a floating-point price", order(#""label":"Tea","unitAmount":12.5"#), 400, "lines[0].unitAmount"),
        opening("with an exponent", order(#""label":"Tea","unitAmount":1e3"#), 400, "lines[0].unitAmount"),
        opening(
            "with a price beyond 64 bits", order(#""label":"Tea","unitAmount":"92233720368547758.08""#), 422,
            "lines[0].unitAmount"),
        opening("with a price of true", order(#""label":"Tea","unitAmount":true"#), 400, "lines[0].unitAmount"),
        opening("priced in minor units", order(#""label":"Tea","unitAmount":1250"#), 400, "lines[0].unitAmount"),
        opening(
            "priced in minor units as text", order(#""label":"Tea","unitAmount":"1250""#), 422, "lines[0].unitAmount"),
        opening("of no pieces", order(tea + #","quantity":0"#), 422, "lines[0].quantity"),
        opening("of a million and one pieces", order(tea + #","quantity":1000001"#), 422, "lines[0].quantity"),
        opening(
            "that overflows", order(#""label":"T","unitAmount":"92233720368547758.07","quantity":2"#), 422,
            "lines[0].unitAmount", code: "invalid-offer"),
        opening(
            "whose taxes overflow",
            #"{"currency":"CNY","lines":[{\#(tea),"tax":"92233720368547758.07"},{\#(tea),"tax":"0.01"}]}"#, 422,
            "lines[1].tax",
            code: "invalid-offer"),
        opening(
            "too large for the books",
            order(#""label":"T","unitAmount":"92233720368547758.07","tax":"92233720368547758.07""#), 422, "lines",
            code: "invalid-offer"),
        opening(
            "above the merchant's limit", order(#""label":"Tea","unitAmount":"50000.01""#), 422, "lines",
            code: "invalid-offer"),
        opening("for nothing", order(#""label":"Tea","unitAmount":"0.00""#), 422, "lines", code: "invalid-offer"),
        opening(
            "with a larger discount", order(tea, #","discounts":[{"label":"D","amount":"12.51"}]"#), 422, "discounts",
            code: "invalid-offer"),
        opening(
            "with a negative discount", order(tea, #","discounts":[{"label":"D","amount":"-0.01"}]"#), 422,
            "discounts[0].amount"),
        opening(
            "shipped in no way", order(tea, #","shippingMethod":"post""#), 422, "shippingMethod", code: "invalid-offer"),
        opening(
            "for another payee", order(tea, #","payee":"\#(Shop.otherMerchant)""#), 422, "payee", code: "invalid-offer"),
        opening("for a payee that is no id", order(tea, #","payee":"me""#), 422, "payee"),
        opening(
            "with a reference of 65 bytes", order(tea, #","reference":"\#(String(repeating: "x", count: 65))""#), 422,
            "reference"),
        opening("with a NUL in its reference", order(tea, #","reference":"A\u0000""#), 422, "reference"),
        Case(
            "an order that is no UTF-8", .post, "/v1/orders", as: .shop,
            bytes: Array(#"{"currency":"CNY","lines":[{"label":""#.utf8) + [0xC3, 0x28] + Array(#""}]}"#.utf8), 400,
            "invalid-body", "lines[0].label"),
        Case(
            "an order with a byte order mark", .post, "/v1/orders", as: .shop,
            bytes: [0xEF, 0xBB, 0xBF] + Array(order(tea).utf8), 400, "invalid-body", ""),
        Case(
            "an order 33 deep", .post, "/v1/orders", as: .shop, String(repeating: "[", count: 33), 400, "invalid-body"),
        Case(
            "an order of 64 KiB and a byte", .post, "/v1/orders", as: .shop,
            bytes: Array(order(tea).utf8) + [UInt8](repeating: 0x20, count: 65_537 - order(tea).utf8.count), 413,
            "request-refused"),
        Case(
            "an order as text", .post, "/v1/orders", as: .shop, order(tea), fields: ["Content-Type": "text/plain"], 415,
            "unsupported-media-type"),
        Case(
            "an order without a type", .post, "/v1/orders", as: .shop, order(tea), fields: [:], 415,
            "unsupported-media-type"),
        Case(
            "an Idempotency-Key with a blank", .post, "/v1/orders", as: .shop, order(tea),
            fields: ["Content-Type": "application/json", "Idempotency-Key": "a b"], 400, "bad-idempotency-key",
            "Idempotency-Key"),
        Case(
            "an Idempotency-Key of 256 bytes", .post, "/v1/orders", as: .shop, order(tea),
            fields: ["Content-Type": "application/json", "Idempotency-Key": String(repeating: "k", count: 256)], 400,
            "bad-idempotency-key", "Idempotency-Key"),
    ]

    static let callers = [
        Case("opening without a key", .post, "/v1/orders", as: .nobody, order(tea), 401, "unauthorised"),
        Case(
            "opening with a wrong key", .post, "/v1/orders", as: .bearing("Bearer wrong"), order(tea), 401,
            "unauthorised"),
        Case("opening with a ticket", .post, "/v1/orders", as: .device, order(tea), 401, "unauthorised"),
        Case(
            "opening with a password", .post, "/v1/orders", as: .bearing("Basic dGVhLWtleQ=="), order(tea), 401,
            "unauthorised"),
        Case(
            "the key without a scheme", .post, "/v1/orders", as: .bearing(Shop.apiKey), order(tea), 401, "unauthorised"),
        Case(
            "choosing without a ticket", .post, "/v1/orders/ORDER/shipping-method", as: .nobody,
            #"{"shippingMethod":"post"}"#, 401, "unauthorised"),
        Case(
            "choosing with the shop's key", .post, "/v1/orders/ORDER/shipping-method", as: .shop,
            #"{"shippingMethod":"post"}"#, 401, "ticket-invalid"),
        Case(
            "choosing with another order's ticket", .post, "/v1/orders/ORDER/shipping-method", as: .otherDevice,
            #"{"shippingMethod":"post"}"#, 404, "no-such-order"),
        Case(
            "choosing with an expired ticket", .post, "/v1/orders/ORDER/shipping-method", as: .expired,
            #"{"shippingMethod":"post"}"#, 401, "ticket-expired"),
        Case("exchanging without a ticket", .post, "/v1/orders/ORDER/ticket", as: .nobody, 401, "unauthorised"),
        Case(
            "exchanging another order's ticket", .post, "/v1/orders/ORDER/ticket", as: .otherDevice, 404,
            "no-such-order"),
        Case("reading without anything", .get, "/v1/orders/ORDER", as: .nobody, 401, "unauthorised"),
        Case("reading with a wrong key", .get, "/v1/orders/ORDER", as: .bearing("Bearer wrong"), 401, "unauthorised"),
        Case(
            "reading with no ticket of ours", .get, "/v1/orders/ORDER", as: .bearing("Bearer a.b.c"), 401,
            "ticket-invalid"),
        Case("reading another merchant's order", .get, "/v1/orders/ORDER", as: .otherShop, 404, "no-such-order"),
        Case("reading another order", .get, "/v1/orders/ORDER", as: .otherDevice, 404, "no-such-order"),
        Case(
            "awaiting without anything", .get, "/v1/orders/ORDER/payments/\(payment)?wait=1", as: .nobody, 401,
            "unauthorised"),
        Case(
            "awaiting another merchant's payment", .get, "/v1/orders/ORDER/payments/\(payment)?wait=1", as: .otherShop,
            404, "no-such-order"),
        Case(
            "awaiting another order's payment", .get, "/v1/orders/ORDER/payments/\(payment)?wait=1", as: .otherDevice,
            404, "no-such-order"),
        Case("cancelling without a key", .post, "/v1/orders/ORDER/cancel", as: .nobody, 401, "unauthorised"),
        Case(
            "cancelling as a device for no known reason", .post, "/v1/orders/ORDER/cancel", as: .device,
            #"{"reason":"mood"}"#, 422, "invalid-body", "reason"),
        Case(
            "cancelling another merchant's order", .post, "/v1/orders/ORDER/cancel", as: .otherShop, 404,
            "no-such-order"),
    ]

    static let others = [
        Case(
            "a choice that is no JSON", .post, "/v1/orders/ORDER/shipping-method", as: .device, "post", 400,
            "invalid-body", ""),
        Case(
            "a choice of a number", .post, "/v1/orders/ORDER/shipping-method", as: .device, #"{"shippingMethod":7}"#,
            400, "invalid-body", "shippingMethod"),
        Case(
            "a choice twice", .post, "/v1/orders/ORDER/shipping-method", as: .device,
            #"{"shippingMethod":"post","shippingMethod":"courier"}"#, 400, "invalid-body", "shippingMethod"),
        Case(
            "no choice", .post, "/v1/orders/ORDER/shipping-method", as: .device, "{}", 422, "invalid-body",
            "shippingMethod"),
        Case(
            "a choice of nothing", .post, "/v1/orders/ORDER/shipping-method", as: .device, #"{"shippingMethod":""}"#,
            422, "invalid-body", "shippingMethod"),
        Case(
            "a choice that is not offered", .post, "/v1/orders/ORDER/shipping-method", as: .device,
            #"{"shippingMethod":"rocket"}"#, 422, "invalid-offer", "shippingMethod"),
        Case(
            "a choice with more", .post, "/v1/orders/ORDER/shipping-method", as: .device,
            #"{"shippingMethod":"post","total":1}"#, 422, "invalid-body", "total"),
        Case(
            "a choice as a form", .post, "/v1/orders/ORDER/shipping-method", as: .device, "shippingMethod=post",
            fields: ["Content-Type": "application/x-www-form-urlencoded"], 415, "unsupported-media-type"),
        Case(
            "a contact of 64 KiB and a byte", .post, "/v1/orders/ORDER/shipping-contact", as: .device,
            String(repeating: " ", count: 65_537), 413, "request-refused"),
        Case(
            "a contact that is a list", .post, "/v1/orders/ORDER/shipping-contact", as: .device,
            #"{"shippingContact":[]}"#, 400, "invalid-body", "shippingContact"),
        Case(
            "a coupon code without its name", .post, "/v1/orders/ORDER/coupon-code", as: .device, #"{"code":"A"}"#, 422,
            "invalid-body", "code"),
        Case(
            "a card that is a text", .post, "/v1/orders/ORDER/payment-method", as: .device,
            #"{"paymentMethod":"credit"}"#, 400, "invalid-body", "paymentMethod"),
        Case(
            "a card without a ticket", .post, "/v1/orders/ORDER/payment-method", as: .nobody, 401, "unauthorised"),
        Case(
            "the card networks of no merchant", .get, "/v1/merchants/x/apple-pay", as: .nobody, 404, "no-such-merchant"),
        Case(
            "a choice of 64 KiB and a byte", .post, "/v1/orders/ORDER/shipping-method", as: .device,
            String(repeating: " ", count: 65_537), 413, "request-refused"),
        Case(
            "an exchange that asks for more", .post, "/v1/orders/ORDER/ticket", as: .device, #"{"revision":1}"#, 422,
            "invalid-body", "revision"),
        Case(
            "a cancel that asks for more", .post, "/v1/orders/ORDER/cancel", as: .shop, #"{"reason":"x"}"#, 422,
            "invalid-body", "reason"),
        Case("a cancel that is no JSON", .post, "/v1/orders/ORDER/cancel", as: .shop, "now", 400, "invalid-body", ""),
        Case(
            "a cancel as text", .post, "/v1/orders/ORDER/cancel", as: .shop, "{}",
            fields: ["Content-Type": "text/plain"], 415, "unsupported-media-type"),
        Case(
            "a cancel under a bad key", .post, "/v1/orders/ORDER/cancel", as: .shop, fields: ["Idempotency-Key": "a b"],
            400, "bad-idempotency-key", "Idempotency-Key"),
        Case("a cancel of no order", .post, "/v1/orders/\(Shop.orderID(9))/cancel", as: .shop, 404, "no-such-order"),
        Case(
            "a wait of 26 seconds", .get, "/v1/orders/ORDER/payments/\(payment)?wait=26", as: .device, 400, "bad-query",
            "wait"),
        Case(
            "a negative wait", .get, "/v1/orders/ORDER/payments/\(payment)?wait=-1", as: .device, 400,
            "bad-query", "wait"),
        Case(
            "a wait of a word", .get, "/v1/orders/ORDER/payments/\(payment)?wait=long", as: .device, 400, "bad-query",
            "wait"),
        Case(
            "a wait beyond 64 bits", .get, "/v1/orders/ORDER/payments/\(payment)?wait=99999999999999999999",
            as: .device, 400, "bad-query", "wait"),
        Case(
            "two waits", .get, "/v1/orders/ORDER/payments/\(payment)?wait=1&wait=2", as: .device, 400, "bad-query",
            "wait"),
        Case(
            "a query that cannot be decoded", .get, "/v1/orders/ORDER/payments/\(payment)?wait=%ff", as: .device, 400,
            "bad-query"),
        Case("a payment that is no id", .get, "/v1/orders/ORDER/payments/first", as: .device, 404, "not-found"),
        Case("an order that is no id", .get, "/v1/orders/first", as: .shop, 404, "no-such-order"),
        Case(
            "an order in upper case", .get, "/v1/orders/\(Shop.orderID(9).description.uppercased())", as: .shop, 404,
            "no-such-order"),
        Case("a route that is not there", .get, "/v1/refunds", as: .shop, 404, "not-found"),
        Case("a slash too many", .get, "/v1/orders/ORDER/", as: .shop, 404, "not-found"),
        Case("putting orders", .put, "/v1/orders", as: .shop, 405, "method-not-allowed"),
        Case("replacing an order", .put, "/v1/orders/ORDER", as: .shop, "{}", 405, "method-not-allowed"),
        Case("removing an order", .delete, "/v1/orders/ORDER", as: .shop, 405, "method-not-allowed"),
        Case("getting a ticket", .get, "/v1/orders/ORDER/ticket", as: .device, 405, "method-not-allowed"),
    ]

    @Test("Each is reported with the right status and changes nothing", arguments: ["openings", "callers", "others"])
    func refused(_ table: String) async throws {
        let cases = ["openings": Self.openings, "callers": Self.callers, "others": Self.others][table] ?? []
        try await Self.withServer { shop, client, port in
            let (order, other) = (try await shop.open(), try await shop.open())
            let expired = try shop.expired(order)
            let before = try await Self.rows(shop)
            for wrong in cases {
                var fields = wrong.fields
                fields["Authorization"] =
                    switch wrong.caller {
                    case .shop: "Bearer \(Shop.apiKey)"
                    case .otherShop: "Bearer other-key"
                    case .device: "Bearer \(order.ticket)"
                    case .otherDevice: "Bearer \(other.ticket)"
                    case .expired: "Bearer \(expired)"
                    case .bearing(let text): text
                    case .nobody: nil
                    }
                if wrong.body.isEmpty { fields["Content-Type"] = nil }
                let target = wrong.path.replacing("ORDER", with: order.id.description)
                let outcome = await client.send(
                    HTTPClientRequest(
                        method: wrong.method, url: "http://127.0.0.1:\(port)\(target)", fields: fields,
                        body: wrong.body))
                guard case .answered(let answer) = outcome else {
                    Issue.record("\(wrong.testDescription): \(outcome)")
                    continue
                }
                let published: Comment =
                    "\(wrong.testDescription): \(answer.response.status.code) \(answer.response.text)"
                #expect(answer.response.status.code == wrong.status, published)
                #expect(answer.response.fields["Content-Type"] == "application/problem+json", published)
                let fault = try await Descriptions.fault(
                    of: answer.response, to: HTTPRequest(method: wrong.method, target: target), by: "order-ledger")
                #expect(fault == "", published)
                let json = try answer.response.json
                #expect(json["code"]?.string == wrong.code, published)
                #expect(json["status"]?.integer == Int64(wrong.status), published)
                #expect(json["detail"]?.string?.isEmpty == false || wrong.status == 404, published)
                if let field = wrong.field { #expect(json["field"]?.string == field, published) }
                if wrong.status == 401 { #expect(answer.response.fields["WWW-Authenticate"] == "Bearer", published) }
                if wrong.status == 405 { #expect(answer.response.fields["Allow"]?.isEmpty == false, published) }
            }
            #expect(try await Self.rows(shop) == before, "a refused request changes nothing")
        }
    }

    private static func rows(_ shop: TestShop) async throws -> [Int64] {
        var counts: [Int64] = []
        for table in ["idempotency_keys", "offered_orders", "offers", "commands", "outbox"] {
            counts.append(
                try await shop.ledger.owner.query("SELECT count(*) AS n FROM ledger.\(table)")[0].int64("n"))
        }
        return counts
    }

    private static func withServer(
        _ body: @Sendable (TestShop, HTTPClient, Int) async throws -> Void
    ) async throws {
        try await TestShop.with { shop in
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: shop.router)
            let client = HTTPClient()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { try await client.run() }
                defer { group.cancelAll() }
                try await body(shop, client, try await server.boundPort)
            }
        }
    }
}

extension TestShop {
    /// A ticket of an order that has expired a minute ago.
    fileprivate func expired(_ order: Opened) throws -> String {
        let ticket = try tickets.verify(order.ticket, for: .charging)
        let issued = ticket.issuedAt + .seconds(-660)
        return try tickets.keys().signer.sign(
            OrderTicket(
                order: ticket.order, merchant: ticket.merchant, revision: ticket.revision, amount: ticket.amount,
                networks: ticket.networks, routes: ticket.routes, shippingMethod: ticket.shippingMethod,
                linesDigest: ticket.linesDigest, partitions: ticket.partitions, issuedAt: issued,
                expiresAt: issued + .seconds(600)))
    }
}
