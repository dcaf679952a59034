import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Too many requests")
struct RequestLimitTests {
    @Test("of an API key get 429 with Retry-After, and open nothing")
    func key() async throws {
        try await TestShop.with { shop in
            let limited = try shop.instance(limit: 1)
            var answers: [HTTPResponse] = []
            for _ in 1...22 { answers.append(try await limited.send(.get, "/v1/orders")) }
            #expect(answers.prefix(20).allSatisfy { $0.status == .ok })
            let refused = try await limited.send(.post, "/v1/orders", body: Shop.request.json)
            #expect(try refused.status == .tooManyRequests && refused.json["code"]?.string == "rate-limited")
            #expect(refused.fields["Retry-After"] == "1")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders").isEmpty)
            // Another key has its own.
            #expect(try await limited.send(.get, "/v1/orders", bearer: "other-key").status == .ok)
        }
    }

    @Test("of an order's tickets get 429; another order's device is not slowed, nor is the shop")
    func ticket() async throws {
        try await TestShop.with { shop in
            let (order, other) = (try await shop.open(), try await shop.open())
            let limited = try shop.instance(limit: 1)
            func read(_ order: TestShop.Opened, bearer: String) async throws -> HTTPStatus {
                try await limited.send(.get, "/v1/orders/\(order.id)", bearer: bearer).status
            }
            var statuses: [HTTPStatus] = []
            for _ in 1...22 { statuses.append(try await read(order, bearer: order.ticket)) }
            #expect(statuses.prefix(20).allSatisfy { $0 == .ok } && statuses.last == .tooManyRequests)
            #expect(try await read(other, bearer: other.ticket) == .ok)
            #expect(try await read(order, bearer: Shop.apiKey) == .ok)
        }
    }
}
