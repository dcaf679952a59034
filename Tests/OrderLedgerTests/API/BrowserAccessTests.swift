import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import OrderLedger

@Suite("A page of the shop")
struct BrowserAccessTests {
    private static let origin = "https://tea.example"

    @Test(
        "asks before it calls a device's route, and may",
        arguments: [
            "/v1/orders/ORDER/shipping-contact", "/v1/orders/ORDER/shipping-method", "/v1/orders/ORDER/payment-method",
            "/v1/orders/ORDER/coupon-code", "/v1/orders/ORDER/ticket", "/v1/orders/ORDER/cancel", "/v1/orders/ORDER",
            "/v1/orders/ORDER/payments/ORDER", "/v1/merchants/ORDER/apple-pay",
        ])
    func preflight(_ route: String) async throws {
        try await TestShop.with { shop in
            let answer = try await shop.send(
                .options, route.replacing("ORDER", with: "\(Shop.order)"), bearer: nil, fields: ["Origin": Self.origin])
            #expect(answer.status == .noContent)
            #expect(answer.fields["Access-Control-Allow-Origin"] == Self.origin)
            #expect(answer.fields["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
            #expect(answer.fields["Vary"] == "Origin")
        }
    }

    @Test("reads answers and problems; a page of another origin does not")
    func origins() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            for (origin, allowed) in [(Self.origin, Self.origin as String?), ("https://evil.example", nil)] {
                let read = try await shop.send(
                    .get, "/v1/orders/\(order.id)", bearer: order.ticket, fields: ["Origin": origin])
                #expect(read.status == .ok)
                #expect(read.fields["Access-Control-Allow-Origin"] == allowed)
                let problem = try await shop.send(
                    .post, "/v1/orders/\(order.id)/coupon-code", bearer: "a.b.c", body: Array("{}".utf8),
                    fields: ["Origin": origin])
                #expect(problem.status == .unauthorized)
                #expect(problem.fields["Access-Control-Allow-Origin"] == allowed)
            }
        }
    }

    @Test("does not reach the shop's own routes")
    func ownRoutes() async throws {
        try await TestShop.with { shop in
            let answer = try await shop.send(
                .post, "/v1/orders", body: Shop.request.json, fields: ["Origin": Self.origin])
            #expect(answer.status == .created)
            #expect(answer.fields["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("An API key does only what its scopes say")
    func scopes() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            #expect(try await shop.send(.get, "/v1/orders/\(order.id)", bearer: Shop.readingKey).status == .ok)
            #expect(try await shop.send(.get, "/v1/orders", bearer: Shop.readingKey).status == .ok)
            for (method, target, body) in [
                (HTTPMethod.post, "/v1/orders", Shop.request.json as [UInt8]?),
                (.post, "/v1/orders/\(order.id)/cancel", nil),
            ] {
                let answer = try await shop.send(method, target, bearer: Shop.readingKey, body: body)
                #expect(answer.status == .forbidden, "\(answer.text)")
                #expect(try answer.json["code"]?.string == "scope-missing")
                #expect(try answer.json["scope"]?.string == "orders")
            }
        }
    }
}
