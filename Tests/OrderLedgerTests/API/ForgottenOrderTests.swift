import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

/// The database lost the transactions that opened an order. The journal has its facts, and the fold restored the order.
@Suite("An order that only the books have")
struct ForgottenOrderTests {
    private static let request = Shop.request.json

    private static func open(
        _ shop: TestShop, _ key: String = "order-1", _ body: [UInt8] = request
    ) async throws -> HTTPResponse {
        try await shop.send(.post, "/v1/orders", body: body, fields: ["Idempotency-Key": key])
    }

    /// Opens an order, folds it and `more`, and removes it from the API's tables as a restored database would.
    private static func forgotten(
        _ shop: TestShop, _ more: (TestShop.Opened) throws -> [Fact] = { _ in [] }
    ) async throws -> TestShop.Opened {
        let json = try await open(shop).json
        let order = TestShop.Opened(
            id: try #require(json["orderId"]?.string.flatMap { OrderID($0) }),
            ticket: try #require(json["ticket"]?.string), answer: json)
        try await shop.journal(order, try more(order))
        try await forget(shop)
        return order
    }

    private static func forget(_ shop: TestShop) async throws {
        try await shop.ledger.owner.script(
            """
            DELETE FROM ledger.offered_orders; DELETE FROM ledger.offers; DELETE FROM ledger.idempotency_keys;
            DELETE FROM ledger.outbox;
            UPDATE ledger.inbox_watermarks SET mark = next_offset;
            """)
        try await shop.ledger.owner.execute(
            "UPDATE ledger.inbox_watermarks SET mark = greatest(mark, 1), next_offset = greatest(next_offset, 1)")
    }

    private static func rows(_ shop: TestShop, _ table: String) async throws -> Int {
        try await shop.ledger.owner.query("SELECT 1 FROM ledger.\(table)").count
    }

    @Test("is shown to its shop, its payments to the device, and can be cancelled")
    func shown() async throws {
        try await TestShop.with { shop in
            let amount = try Shop.totals().amount
            let order = try await Self.forgotten(shop) { $0.history.payment(amount: amount, .accepted, .declined) }
            let shown = try await shop.send(.get, "/v1/orders/\(order.id)")
            #expect(shown.status == .ok, "\(shown.text)")
            #expect(try shown.json["status"]?.string == "open")
            #expect(try shown.json["totals"]?["total"]?.integer == amount.minorUnits)
            #expect(try shown.json["shippingMethod"]?.string == "post")
            #expect(try shown.json["payments"]?.array?.count == 1)
            let payment = "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))"
            for bearer in [Shop.apiKey, order.ticket] {
                #expect(try await shop.send(.get, payment, bearer: bearer).json["status"]?.string == "declined")
            }
            #expect(try await shop.send(.get, "/v1/orders/\(order.id)", bearer: "other-key").status == .notFound)
            let cancel = try await shop.send(.post, "/v1/orders/\(order.id)/cancel")
            #expect(cancel.status == .accepted, "\(cancel.text)")
            let commands = try await shop.ledger.owner.query("SELECT partition FROM ledger.outbox")
            #expect(try commands.map { try $0.int32("partition") } == [order.partition])
        }
    }

    @Test("needs its shop for the goods, which the books do not have")
    func goods() async throws {
        try await TestShop.with { shop in
            let order = try await Self.forgotten(shop)
            for (path, body) in [("shipping-method", #"{"shippingMethod":"courier"}"#), ("ticket", "")] {
                let answer = try await shop.send(
                    .post, "/v1/orders/\(order.id)/\(path)", bearer: order.ticket, body: Array(body.utf8))
                #expect(answer.status == .conflict, "\(answer.text)")
                #expect(try answer.json["code"]?.string == "goods-unknown")
            }
        }
    }

    @Test("is stored again in its partition by the same request under its key, and nothing is published again")
    func takenUp() async throws {
        try await TestShop.with { shop in
            let order = try await Self.forgotten(shop)
            // Another number of partitions would put it into another partition, where it could be paid again.
            let again = try await Self.open(try shop.instance(partitions: 16))
            #expect(again.status == .created, "\(again.text)")
            #expect(again.fields["Idempotent-Replayed"] == "true")
            #expect(try again.json["orderId"]?.string == order.id.description)
            let ticket = try shop.tickets.verify(try #require(try again.json["ticket"]?.string), for: .charging)
            #expect(ticket.partitions == 4 && ticket.partition == order.partition && ticket.revision == 1)
            #expect(try await Self.rows(shop, "outbox") == 0)
            for table in ["offered_orders", "offers", "idempotency_keys"] {
                #expect(try await Self.rows(shop, table) == 1, "\(table)")
            }
            #expect(try await Self.open(shop).json["orderId"]?.string == order.id.description)
            let connection = try await PostgresConnection.connect(shop.ledger.service)
            let check = try await OfferCheck(connections: LedgerConnections([connection])).check()
            await connection.close()
            #expect(check.outcome == .passed, "\(check.findings)")
        }
    }

    @Test("comes back with region, coupon and type of card of each published price, which the books do not keep")
    func choices() async throws {
        try await TestShop.with { shop in
            let cards =
                FullOrder.json.dropLast()
                + #","cardTypePrices":[{"cardTypes":["credit"],"label":"Card fee","surcharge":"1.00"}]}"#
            let json = try await Self.open(shop, "order-1", Array(cards.utf8)).json
            var ticket = try #require(json["ticket"]?.string)
            let id = try #require(json["orderId"]?.string.flatMap { OrderID($0) })
            for (path, body) in [
                (
                    "shipping-contact",
                    #"{"shippingContact":{"countryCode":"cn","administrativeArea":"上海市","postalCode":"100"}}"#
                ), ("coupon-code", #"{"couponCode":"TEA10"}"#),
                ("payment-method", #"{"paymentMethod":{"type":"credit"}}"#),
            ] {
                let answer = try await shop.send(
                    .post, "/v1/orders/\(id)/\(path)", bearer: ticket, body: Array(body.utf8))
                #expect(answer.status == .ok, "\(answer.text)")
                ticket = try #require(answer.json["ticket"]?.string)
            }
            let before = try shop.tickets.verify(ticket, for: .charging)
            #expect(before.region != nil && before.cardTypes == [.credit] && before.revision == 4)
            let columns = "SELECT revision, shipping_method, region, coupon, card_type, total FROM ledger.offers"
            let offers = "SELECT string_agg(o::text, ';' ORDER BY revision) AS offers FROM (\(columns)) AS o"
            let known = try await shop.ledger.owner.query(offers)[0].string("offers")
            #expect(known.contains("上海市") && known.contains(",1,credit,"), "\(known)")
            try await shop.journal(TestShop.Opened(id: id, ticket: ticket, answer: json))
            try await Self.forget(shop)
            let again = try await Self.open(shop, "order-1", Array(cards.utf8))
            #expect(again.status == .created, "\(again.text)")
            let after = try shop.tickets.verify(try #require(again.json["ticket"]?.string), for: .charging)
            #expect(after.region == before.region && after.cardTypes == before.cardTypes)
            #expect(after.revision == before.revision && after.amount == before.amount)
            #expect(try await shop.ledger.owner.query(offers)[0].string("offers") == known)
        }
    }

    @Test("is not stored again by another request")
    func otherRequest() async throws {
        try await TestShop.with { shop in
            _ = try await Self.forgotten(shop)
            let cheap = String(decoding: Self.request, as: UTF8.self).replacing("50.00", with: "40.00")
            let answer = try await Self.open(shop, "order-1", Array(cheap.utf8))
            #expect(answer.status == .unprocessableContent, "\(answer.text)")
            #expect(try answer.json["code"]?.string == "idempotency-key-reused")
            for table in ["outbox", "offered_orders", "idempotency_keys"] {
                #expect(try await Self.rows(shop, table) == 0, "\(table)")
            }
        }
    }

    @Test("gets no ticket after it was paid")
    func paid() async throws {
        try await TestShop.with { shop in
            let amount = try Shop.totals().amount
            let order = try await Self.forgotten(shop) { $0.history.payment(amount: amount, .accepted, .succeeded) }
            let again = try await Self.open(shop)
            #expect(again.status == .ok, "\(again.text)")
            #expect(try again.json["status"]?.string == "paid")
            #expect(try again.json["orderId"]?.string == order.id.description)
            #expect(try again.json["ticket"] == nil)
        }
    }

    @Test(
        "cannot be distinguished from a new one while its partition is behind the journal: the shop tries again",
        arguments: [
            "mark = next_offset + 1", "refusal = 'restored'", "timeline = '00000000'", "system_identifier = 7",
        ])
    func notYet(_ state: String) async throws {
        try await TestShop.with { shop in
            try await shop.ledger.owner.execute("UPDATE ledger.inbox_watermarks SET \(state)")
            let answer = try await Self.open(shop)
            #expect(answer.status == .serviceUnavailable, "\(answer.text)")
            #expect(try answer.json["code"]?.string == "order-unknown-yet")
            #expect(answer.fields["Retry-After"] == "2")
            #expect(try await Self.rows(shop, "offered_orders") == 0)
            // Without a key every request opens a new order.
            #expect(try await shop.send(.post, "/v1/orders", body: Self.request).status == .created)
        }
    }

    @Test("keeps its published prices: their revision numbers are not used again")
    func repriced() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let courier = Array(#"{"shippingMethod":"courier"}"#.utf8)
            let path = "/v1/orders/\(order.id)/shipping-method"
            let second = try await shop.send(.post, path, bearer: order.ticket, body: courier)
            let ticket = try #require(try second.json["ticket"]?.string)
            let published = try await shop.ledger.owner.query(
                "SELECT value FROM ledger.outbox ORDER BY position"
            ).map { try OfferFact(parsing: $0.bytes("value")) }
            #expect(published.map(\.revision) == [1, 2])
            // As in a backup from before the second price.
            try await shop.ledger.owner.script(
                "DELETE FROM ledger.offers WHERE revision = 2; UPDATE ledger.offered_orders SET revision = 1")
            try await shop.ledger.owner.execute("UPDATE ledger.inbox_watermarks SET timeline = '00000000'")
            let early = try await shop.send(.post, path, bearer: order.ticket, body: courier)
            #expect(early.status == .serviceUnavailable, "\(early.text)")
            try await shop.ledger.owner.execute(
                "UPDATE ledger.inbox_watermarks SET timeline = substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)")
            // A batch that was sent again is twice in the log.
            for _ in 1...2 {
                try await shop.ledger.database.withTransaction {
                    try await OfferStore.restore(published + published, of: order.partition, on: $0)
                }
            }
            let post = try await shop.send(
                .post, path, bearer: ticket, body: Array(#"{"shippingMethod":"post"}"#.utf8))
            #expect(try post.json["revision"]?.integer == 3)
            let offers = try await shop.ledger.owner.query("SELECT total FROM ledger.offers ORDER BY revision")
            #expect(try offers.map { try $0.int64("total") } == [10_900, 12_220, 10_900])
        }
    }
}
