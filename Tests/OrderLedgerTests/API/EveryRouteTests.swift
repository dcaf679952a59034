import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

/// What holds for each route that asks for a credential.
@Suite("Every route of the orders API")
struct EveryRouteTests {
    /// A request to a route, with a credential that it takes.
    private struct Call {
        let method: HTTPMethod
        let target: String
        let bearer: String
        var name: String { "\(method) \(target)" }
    }

    /// One request for each route, in the order in which the routes were added.
    private static func calls(to order: TestShop.Opened, of shop: TestShop) -> [Call] {
        shop.router.endpoints.filter { $0.method != .options && $0.pattern.hasPrefix("/v1/orders") }.map { route in
            let target = route.pattern.replacing("{id}", with: order.id.description)
                .replacing("{payment}", with: Shop.paymentID(1).description)
                .replacing("{command}", with: Shop.order.description)
            let isDevices = callbacks.contains { target.hasSuffix($0.name) } || target.hasSuffix("/ticket")
            return Call(method: route.method, target: target, bearer: isDevices ? order.ticket : Shop.apiKey)
        }
    }

    private static let callbacks = [
        ("coupon-code", #"{"couponCode":"TEA10"}"#), ("payment-method", #"{"paymentMethod":{"type":"credit"}}"#),
        ("shipping-contact", #"{"shippingContact":{"countryCode":"CN"}}"#),
        ("shipping-method", #"{"shippingMethod":"courier"}"#),
    ].map { (name: $0.0, body: Array($0.1.utf8)) }

    @Test("refuses a caller who asks too often, and does nothing")
    func limits() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let calls = Self.calls(to: order, of: shop)
            #expect(calls.count >= 19)
            for call in calls {
                // Each with an instance of its own, which has counted nobody yet.
                let limited = try shop.instance(limit: 1)
                // Until it is refused: on a slow machine a fixed number takes longer than the limit counts.
                var last = HTTPStatus.ok
                while last != .tooManyRequests {
                    last = try await limited.send(.get, "/v1/orders/\(order.id)", bearer: call.bearer).status
                }
                let answer = try await limited.send(call.method, call.target, bearer: call.bearer)
                #expect(answer.status == .tooManyRequests, "\(call.name): \(answer.text)")
                #expect(answer.fields["Retry-After"] == "1", "\(call.name)")
            }
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.commands").isEmpty)
        }
    }

    @Test("refuses an API key without its scope")
    func scopes() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            for call in Self.calls(to: order, of: shop) where call.bearer == Shop.apiKey {
                let reads = call.method == .get && !call.target.hasSuffix("/contact")
                let key = reads ? Shop.orderingKey : Shop.readingKey
                let answer = try await shop.send(call.method, call.target, bearer: key)
                #expect(answer.status == .forbidden, "\(call.name): \(answer.text)")
                let scope = try answer.json["scope"]?.string
                let moves = ["captures", "finalise", "refunds", "voids"].contains { call.target.hasSuffix("/\($0)") }
                #expect(
                    scope
                        == (call.target.hasSuffix("/contact")
                            ? "contacts" : reads ? "read" : moves ? "refunds" : "orders"))
            }
        }
    }

    @Test("refuses every change of an order that has ended")
    func ended() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let closed = OrderClosed(order: order.id, merchant: order.history.merchant, reason: .cancelled)
            try await shop.journal(order, [.orderClosed(closed)])
            for callback in Self.callbacks + [(name: "ticket", body: Array("{}".utf8))] {
                let answer = try await shop.send(
                    .post, "/v1/orders/\(order.id)/\(callback.name)", bearer: order.ticket, body: callback.body)
                #expect(
                    try answer.status == .conflict && answer.json["code"]?.string == "order-closed", "\(answer.text)")
            }
        }
    }

    @Test("does not open an order again whose time is over")
    func expired() async throws {
        try await TestShop.with { shop in
            var request = Shop.request
            request.expiresAt = Timestamp(seconds: 1_700_000_000 + 120)
            let fields: HTTPFields = ["Idempotency-Key": "order-1"]
            #expect(try await shop.send(.post, "/v1/orders", body: request.json, fields: fields).status == .created)
            shop.wait(.seconds(121))
            let again = try await shop.send(.post, "/v1/orders", body: request.json, fields: fields)
            #expect(try again.status == .conflict && again.json["code"]?.string == "order-expired", "\(again.text)")
        }
    }
}
