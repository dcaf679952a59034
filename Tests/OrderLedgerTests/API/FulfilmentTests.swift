import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("A fulfilment")
struct FulfilmentTests {
    private static let body = Array(
        #"{"status":"shipped","carrier":"SF","trackingNumber":"SF100","trackingURL":"https://sf.example/SF100"}"#.utf8)

    private static func report(
        _ shop: TestShop, _ order: TestShop.Opened, body: [UInt8] = body, key: String? = nil,
        bearer: String = Shop.apiKey
    ) async throws -> HTTPResponse {
        var fields: HTTPFields = [:]
        fields["Idempotency-Key"] = key
        return try await shop.send(
            .post, "/v1/orders/\(order.id)/fulfilments", bearer: bearer, body: body, fields: fields)
    }

    private static func pay(_ shop: TestShop, _ order: TestShop.Opened) async throws {
        try await shop.journal(
            order, order.history.payment(amount: Shop.totals().amount, .accepted, .succeeded))
    }

    @Test("is refused before the order is paid, and shown with the order afterwards")
    func paid() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let early = try await Self.report(shop, order)
            #expect(early.status == .conflict)
            #expect(try early.json["code"]?.string == "order-unpaid")
            try await Self.pay(shop, order)
            let answer = try await Self.report(shop, order)
            #expect(answer.status == .created, "\(answer.text)")
            let view = try await shop.send(.get, "/v1/orders/\(order.id)", bearer: order.ticket).json
            #expect(view["fulfilments"]?[0]?["trackingNumber"]?.string == "SF100")
            #expect(view["fulfilments"]?[0]?["status"]?.string == "shipped")
        }
    }

    @Test("is reported once for each Idempotency-Key")
    func once() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await Self.pay(shop, order)
            let first = try await Self.report(shop, order, key: "f-1")
            let second = try await Self.report(shop, order, key: "f-1")
            #expect(first.status == .created && second.status == .ok)
            #expect(first.body == second.body)
            #expect(second.fields["Idempotent-Replayed"] == "true")
            let other = try await Self.report(shop, order, body: Array(#"{"status":"served"}"#.utf8), key: "f-1")
            #expect(other.status == .unprocessableContent)
            #expect(try other.json["code"]?.string == "idempotency-key-reused")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.fulfilments").count == 1)
        }
    }

    @Test("needs the merchant's key with the scope, and a status that is known")
    func refusals() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await Self.pay(shop, order)
            #expect(try await Self.report(shop, order, bearer: Shop.readingKey).status == .forbidden)
            #expect(try await Self.report(shop, order, bearer: "other-key").status == .notFound)
            #expect(try await Self.report(shop, order, bearer: order.ticket).status == .unauthorized)
            for (body, field) in [
                (#"{"status":"lost"}"#, "status"), ("{}", "status"),
                (#"{"status":"shipped","trackingURL":"http://a"}"#, "trackingURL"),
                (#"{"status":"shipped","trackingURL":"https://sf.example/é"}"#, "trackingURL"),
                (#"{"status":"shipped","carrier":"S\u0000F"}"#, "carrier"),
                (#"{"status":"shipped","trackingNumber":"\u0000"}"#, "trackingNumber"),
                (#"{"status":"shipped","x":1}"#, "x"),
            ] {
                let answer = try await Self.report(shop, order, body: Array(body.utf8))
                #expect(answer.status == .unprocessableContent)
                #expect(try answer.json["field"]?.string == field)
            }
        }
    }
}
