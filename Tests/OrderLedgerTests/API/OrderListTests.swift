import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The list of a shop's orders")
struct OrderListTests {
    private static func open(_ shop: TestShop, _ reference: String? = nil) async throws -> OrderID {
        var request = Shop.request
        request.reference = reference
        request.metadata = ["cart": "17"]
        let order = try await shop.open(request)
        shop.wait(.seconds(1))
        return order.id
    }

    private static func list(_ shop: TestShop, _ query: String, bearer: String = Shop.apiKey) async throws -> JSONValue
    {
        let answer = try await shop.send(.get, "/v1/orders\(query)", bearer: bearer)
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.json
    }

    private static func ids(_ list: JSONValue) -> [String] {
        list["orders"]?.array?.compactMap { $0["orderId"]?.string } ?? []
    }

    @Test("The newest first, page by page, without a gap or a repetition")
    func pages() async throws {
        try await TestShop.with { shop in
            var opened: [String] = []
            for _ in 1...5 { opened.insert(try await Self.open(shop).description, at: 0) }
            var seen: [String] = []
            var query = "?limit=2"
            for _ in 1...3 {
                let page = try await Self.list(shop, query)
                seen += Self.ids(page)
                guard let next = page["next"]?.string else { break }
                query = "?limit=2&after=\(next)"
            }
            #expect(seen == opened)
            let first = try await Self.list(shop, "?limit=1")["orders"]?[0]
            #expect(first?["total"]?["minorUnits"]?.integer == 10_900)
            #expect(first?["status"]?.string == "open")
            #expect(first?["metadata"]?["cart"]?.string == "17")
        }
    }

    @Test("By reference, status and time; another merchant's key sees none")
    func filters() async throws {
        try await TestShop.with { shop in
            let wanted = try await Self.open(shop, "A-1")
            let later = try await Self.open(shop, "A-2")
            #expect(try await Self.ids(Self.list(shop, "?reference=A-1")) == [wanted.description])
            #expect(try await Self.ids(Self.list(shop, "?reference=A-3")) == [])
            let merchant = try #require(Shop.merchant?.id)
            let opened = TestShop.Opened(id: wanted, ticket: "", answer: .null)
            try await shop.journal(
                opened,
                [.orderClosed(OrderClosed(order: wanted, merchant: merchant, reason: .cancelled, command: nil))])
            #expect(try await Self.ids(Self.list(shop, "?status=cancelled")) == [wanted.description])
            #expect(try await Self.ids(Self.list(shop, "?status=open")) == [later.description])
            #expect(try await Self.ids(Self.list(shop, "?to=2023-11-14T22:13:21Z")) == [wanted.description])
            #expect(try await Self.ids(Self.list(shop, "?from=2023-11-14T22:13:21Z")) == [later.description])
            #expect(try await Self.ids(Self.list(shop, "", bearer: "other-key")) == [])
        }
    }

    @Test("Each with the price that was paid, and with that of its final lines; a later choice changes neither")
    func paidPrice() async throws {
        try await TestShop.with { shop in
            let order = try await FollowUpTests.heldBeforeAnotherChoice(shop)
            func listed() async throws -> [JSONValue?] {
                let first = try await Self.list(shop, "")["orders"]?[0]
                return [first?["revision"], first?["total"]?["minorUnits"]]
            }
            #expect(try await listed() == [.integer(1), .integer(10_900)])
            let body = #"{"lines":[{"label":"Ride","unitAmount":"60.00","tax":"3.60"}],"discounts":[]}"#
            #expect(try await FollowUpTests.ask(shop, order, "finalise", body).status == .accepted)
            try await shop.journal(order)
            #expect(try await listed() == [.integer(3), .integer(7_160)])
            #expect(try await Self.ids(Self.list(shop, "?amount=71.60")) == [order.id.description])
        }
    }

    @Test("By amount and by the last four digits of the card that paid")
    func payment() async throws {
        try await TestShop.with { shop in
            let paid = try await shop.open()
            let open = try await Self.open(shop)
            try await shop.journal(paid, paid.history.payment(amount: try Shop.totals().amount, .accepted, .succeeded))
            let first = try await Self.list(shop, "?status=paid")["orders"]?[0]
            let lastFour = try #require(first?["card"]?["lastFour"]?.string)
            #expect(first?["card"]?["network"]?.string != nil)
            #expect(try await Self.ids(Self.list(shop, "?lastFour=\(lastFour)")) == [paid.id.description])
            #expect(try await Self.ids(Self.list(shop, "?lastFour=9999")) == [])
            #expect(try await Self.ids(Self.list(shop, "?amount=109.00")).count == 2)
            #expect(try await Self.ids(Self.list(shop, "?amount=109.00&status=open")) == [open.description])
            #expect(try await Self.ids(Self.list(shop, "?amount=109.01")) == [])
        }
    }

    @Test(
        "A wrong filter is refused with its name",
        arguments: [
            "status=lost", "limit=0", "limit=201", "after=x", "from=yesterday", "colour=red", "reference=",
            "amount=-1", "amount=1.", "lastFour=123", "lastFour=12%C2%B2",
        ])
    func wrong(_ query: String) async throws {
        try await TestShop.with { shop in
            let answer = try await shop.send(.get, "/v1/orders?\(query)")
            #expect(answer.status == .badRequest)
            #expect(try answer.json["field"]?.string == String(query.prefix { $0 != "=" }))
        }
    }

    @Test("The timeline has each fact, attempt and command, for the shop alone")
    func timeline() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            _ = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", body: Array(#"{"reason":"shop"}"#.utf8))
            let amount = try Shop.totals().amount
            try await shop.journal(order, order.history.payment(amount: amount, .accepted, .declined))
            let answer = try await shop.send(.get, "/v1/orders/\(order.id)/timeline")
            #expect(answer.status == .ok, "\(answer.text)")
            let types = try answer.json["events"]?.array?.compactMap { $0["type"]?.string } ?? []
            #expect(
                Set(types) == [
                    "orchard.order.opened.v1", "orchard.payment.accepted.v1", "orchard.payment.declined.v1",
                    "orchard.cancel.requested.v1",
                ])
            #expect(
                try await shop.send(.get, "/v1/orders/\(order.id)/timeline", bearer: order.ticket).status
                    == .unauthorized)
            #expect(
                try await shop.send(.get, "/v1/orders/\(order.id)/timeline", bearer: "other-key").status == .notFound)
        }
    }
}
