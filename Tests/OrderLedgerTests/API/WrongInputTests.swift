import Contracts
import Ledger
import LedgerFixtures
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
            "a contact of 1 MB", .post, "/v1/orders/ORDER/shipping-contact", as: .device,
            #"{"shippingContact":{"locality":"\#(String(repeating: "x", count: 1_000_000))"}}"#, 413,
            "request-refused", ""),
        Case(
            "a contact with a member of 60 KB", .post, "/v1/orders/ORDER/shipping-contact", as: .device,
            #"{"shippingContact":{"locality":"\#(String(repeating: "x", count: 60_000))"}}"#, 422, "invalid-body",
            "shippingContact.locality"),
        Case(
            "a coupon code twice", .post, "/v1/orders/ORDER/coupon-code", as: .device,
            #"{"couponCode":"A","couponCode":"B"}"#, 400, "invalid-body", "couponCode"),
        Case(
            "a callback with another order's ticket", .post, "/v1/orders/ORDER/coupon-code", as: .otherDevice,
            #"{"couponCode":"A"}"#, 404, "no-such-order"),
        Case(
            "a callback under a bad key", .post, "/v1/orders/ORDER/coupon-code", as: .device, #"{"couponCode":"A"}"#,
            fields: ["Content-Type": "application/json", "Idempotency-Key": "a b"], 400, "bad-idempotency-key",
            "Idempotency-Key"),
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
        try await TestShop.withServer { served in
            let shop = served.shop
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
                let path = wrong.path.replacing("ORDER", with: order.id.description)
                guard
                    let response = await served.send(wrong.method, path, body: wrong.body, fields: fields)
                else { continue }
                let published: Comment =
                    "\(wrong.testDescription): \(response.status.code) \(response.text)"
                #expect(response.status.code == wrong.status, published)
                #expect(response.fields["Content-Type"] == "application/problem+json", published)
                let fault = try await Descriptions.fault(
                    of: response, to: HTTPRequest(method: wrong.method, target: path), by: "order-ledger")
                #expect(fault == "", published)
                let json = try response.json
                #expect(json["code"]?.string == wrong.code, published)
                #expect(json["status"]?.integer == Int64(wrong.status), published)
                #expect(json["detail"]?.string?.isEmpty == false || wrong.status == 404, published)
                if let field = wrong.field { #expect(json["field"]?.string == field, published) }
                if wrong.status == 401 { #expect(response.fields["WWW-Authenticate"] == "Bearer", published) }
                if wrong.status == 405 { #expect(response.fields["Allow"]?.isEmpty == false, published) }
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
