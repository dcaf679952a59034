import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("An Idempotency-Key names one order")
struct IdempotencyTests {
    private static let request = Shop.request.json

    private static func open(
        _ shop: TestShop, _ key: String, _ body: [UInt8] = request, bearer: String = Shop.apiKey
    ) async throws -> HTTPResponse {
        try await shop.send(.post, "/v1/orders", bearer: bearer, body: body, fields: ["Idempotency-Key": key])
    }

    private static func ticket(_ shop: TestShop, _ response: HTTPResponse) throws -> OrderTicket {
        try shop.tickets.verify(try #require(try response.json["ticket"]?.string, "\(response.text)"), for: .charging)
    }

    @Test("The same key and request open one order; keys belong to their merchant")
    func repeated() async throws {
        try await TestShop.with { shop in
            let first = try await Self.open(shop, "order-1001")
            let second = try await Self.open(shop, "order-1001")
            #expect(first.status == .created && second.status == .created)
            #expect(first.fields["Idempotent-Replayed"] == nil)
            #expect(second.fields["Idempotent-Replayed"] == "true")
            for member in ["orderId", "revision", "paymentRequest"] {
                #expect(try first.json[member] == second.json[member], "\(member)")
            }
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.outbox").count == 1)
            let stranger = try await Self.open(shop, "order-1001", bearer: "other-key")
            #expect(stranger.status == .created)
            #expect(try stranger.json["orderId"] != first.json["orderId"])
        }
    }

    @Test("An order opened over 8 partitions stays in its partition, whatever the next instance is configured with")
    func otherPartitions() async throws {
        try await TestShop.with { shop in
            let (eight, sixteen) = (try shop.instance(partitions: 8), try shop.instance(partitions: 16))
            for number in 1...12 {
                let first = try await Self.open(eight, "order-\(number)")
                let second = try await Self.open(sixteen, "order-\(number)")
                #expect(first.status == .created && second.status == .created, "\(second.text)")
                #expect(try first.json["orderId"] == second.json["orderId"])
                #expect(try Self.ticket(shop, first).partitions == 8)
                #expect(try Self.ticket(shop, second).partitions == 8)
            }
            let orders = try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders WHERE partitions = 8")
            #expect(orders.count == 12)
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.outbox").count == 12)
        }
    }

    @Test("Two instances with different settings open one order at the same time")
    func concurrent() async throws {
        try await TestShop.with { shop in
            let instances = [try shop.instance(partitions: 8), try shop.instance(partitions: 16)]
            for number in 1...20 {
                let tickets = try await withThrowingTaskGroup(of: OrderTicket.self) { group in
                    for instance in instances + instances {
                        group.addTask {
                            let response = try await Self.open(instance, "order-\(number)")
                            #expect(response.status == .created, "\(response.text)")
                            return try Self.ticket(shop, response)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(tickets.map(\.order)).count == 1)
                #expect(Set(tickets.map(\.partition)).count == 1)
                #expect(Set(tickets.map(\.partitions)).count == 1)
            }
            for table in ["idempotency_keys", "offered_orders", "offers", "outbox"] {
                #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.\(table)").count == 20, "\(table)")
            }
        }
    }

    @Test("The slot of a key never changes, and keys are spread over all slots")
    func slots() throws {
        let merchant = try #require(Shop.merchant).id
        let slots = ["order-1", "order-2", "order-3"].map { IdempotencyKey(merchant: merchant, text: $0).slot }
        #expect(slots == [802, 254, 548])
        #expect(IdempotencyKey(merchant: Shop.otherMerchant, text: "order-1").slot != slots[0])
        let spread = Set((0..<10_000).map { IdempotencyKey(merchant: merchant, text: "order-\($0)").slot })
        #expect(spread.count > 1_000 && spread.allSatisfy((0..<IdempotencyKey.slots).contains))
    }

    /// The shop's request with its members in another order, more space, and the default values written out.
    private static let same = """
        { "shippingMethods": [
            {"amount": "8.00", "label": "Post", "identifier": "post", "detail": "3 days", "tax": "0.00"},
            {"label": "Courier", "identifier": "courier", "amount": "20.00", "tax": "1.20"}],
          "shippingMethod": "post", "discounts": [{"amount": "5.00", "label": "Welcome"}],
          "lines": [{"tax": "6.00", "quantity": 2, "unitAmount": "50.00", "label": "T\\u0065a"}],
          "currency": "CNY" }
        """

    // Failure scenario 50.
    @Test("An error under a key is no outcome: the request opens one order when it can be done")
    func errors() async throws {
        try await TestShop.with { shop in
            let wrong = try await Self.open(shop, "order-1", Array(Self.same.replacing("50.00", with: "-1").utf8))
            #expect(wrong.status == .unprocessableContent || wrong.status == .badRequest, "\(wrong.text)")
            try await shop.ledger.owner.script(
                """
                CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER full_disk BEFORE INSERT ON ledger.outbox FOR EACH ROW EXECUTE FUNCTION public.full();
                """)
            let failed = try await Self.open(shop, "order-1")
            #expect(failed.status.code >= 500, "\(failed.text)")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders").isEmpty)
            try await shop.ledger.owner.script("DROP TRIGGER full_disk ON ledger.outbox")
            let opened = try await Self.open(shop, "order-1")
            #expect(opened.status == .created, "\(opened.text)")
            #expect(opened.fields["Idempotent-Replayed"] == nil)
            let again = try await Self.open(shop, "order-1")
            #expect(again.fields["Idempotent-Replayed"] == "true")
            #expect(try again.json["orderId"] == opened.json["orderId"])
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders").count == 1)
        }
    }

    // Failure scenario 50.
    @Test("Members in another order, spaces and defaults do not make another request; another price does")
    func canonical() async throws {
        try await TestShop.with { shop in
            let first = try await Self.open(shop, "order-1")
            let same = try await Self.open(shop, "order-1", Array(Self.same.utf8))
            #expect(same.status == .created, "\(same.text)")
            #expect(try same.json["orderId"] == first.json["orderId"])
            for (old, new) in [("50.00", "50.01"), ("\"post\", \"disc", "\"courier\", \"disc"), ("3 days", "4 days")] {
                let other = try await Self.open(shop, "order-1", Array(Self.same.replacing(old, with: new).utf8))
                #expect(other.status == .unprocessableContent)
                #expect(try other.json["code"]?.string == "idempotency-key-reused", "\(new)")
            }
            let rows = try await shop.ledger.owner.query(
                "SELECT (SELECT count(*) FROM ledger.offers) + (SELECT count(*) FROM ledger.outbox) AS n")
            #expect(try rows[0].int64("n") == 2, "one offer and its fact")
        }
    }

    @Test("A repeated request gets a fresh ticket of the revision in force")
    func repriced() async throws {
        try await TestShop.with { shop in
            let first = try await Self.open(shop, "order-1")
            let ticket = try #require(try first.json["ticket"]?.string)
            let order = try Self.ticket(shop, first).order
            let choice = try await shop.send(
                .post, "/v1/orders/\(order)/shipping-method", bearer: ticket,
                body: Array(#"{"shippingMethod":"courier"}"#.utf8))
            #expect(choice.status == .ok)
            shop.wait(.seconds(3_600))
            let second = try await Self.open(shop, "order-1")
            let fresh = try Self.ticket(shop, second)
            #expect(fresh.order == order && fresh.revision == 2 && fresh.shippingMethod == "courier")
            #expect(fresh.amount.minorUnits == 12_220)
            #expect(try second.json["paymentRequest"]?["total"]?["amount"]?.string == "122.20")
        }
    }

    @Test("After the order's end a repeated request gets its final state and no ticket", arguments: [true, false])
    func ended(isPaid: Bool) async throws {
        try await TestShop.with { shop in
            let first = try await Self.open(shop, "order-1")
            let order = TestShop.Opened(
                id: try Self.ticket(shop, first).order, ticket: "", answer: try first.json)
            let amount = try Shop.totals().amount
            try await shop.journal(
                order,
                isPaid
                    ? order.history.payment(amount: amount, .accepted, .succeeded)
                    : [order.history.closed(.cancelled)])
            let second = try await Self.open(shop, "order-1")
            #expect(second.status == .ok, "\(second.text)")
            #expect(second.fields["Idempotent-Replayed"] == "true")
            let json = try second.json
            #expect(json["ticket"] == nil && json["paymentRequest"] == nil)
            #expect(json["orderId"]?.string == order.id.description)
            #expect(json["status"]?.string == (isPaid ? "paid" : "cancelled"))
            #expect(second.body == (try await shop.send(.get, "/v1/orders/\(order.id)").body), "what GET shows")
        }
    }

    @Test("A callback, an exchange and an erasure take a key and are safe to repeat with and without it")
    func callbacks() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            func post(_ route: String, _ body: String, key: String) async throws -> HTTPResponse {
                try await shop.send(
                    .post, "/v1/orders/\(order.id)/\(route)", bearer: order.ticket, body: Array(body.utf8),
                    fields: ["Idempotency-Key": key])
            }
            for _ in 1...2 {
                let answer = try await post("shipping-method", #"{"shippingMethod":"courier"}"#, key: "choice-1")
                #expect(try answer.json["revision"]?.integer == 2, "\(answer.text)")
            }
            // Another choice of a device with the old ticket is refused for what it is.
            let other = try await post("shipping-method", #"{"shippingMethod":"post"}"#, key: "choice-1")
            #expect(try other.json["code"]?.string == "ticket-superseded")
            for route in ["shipping-method", "shipping-contact", "payment-method", "coupon-code", "ticket", "cancel"] {
                let answer = try await post(route, "{}", key: "a b")
                #expect(answer.status == .badRequest, "\(route)")
                #expect(try answer.json["field"]?.string == "Idempotency-Key")
            }
            let erasure = try await shop.send(
                .delete, "/v1/orders/\(order.id)/contact", fields: ["Idempotency-Key": "a b"])
            #expect(try erasure.json["code"]?.string == "bad-idempotency-key")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offers").count == 2)
        }
    }

    @Test("A cancel under a key is sent once, and a repetition after its end gets its outcome")
    func cancel() async throws {
        try await TestShop.with { shop in
            let first = try await Self.open(shop, "order-1")
            let order = TestShop.Opened(
                id: try Self.ticket(shop, first).order, ticket: "", answer: try first.json)
            func cancel() async throws -> HTTPResponse {
                try await shop.send(
                    .post, "/v1/orders/\(order.id)/cancel", fields: ["Idempotency-Key": "order-1"])
            }
            let asked = try await cancel()
            #expect(asked.status == .accepted && asked.fields["Idempotent-Replayed"] == nil)
            let again = try await cancel()
            #expect(again.status == .accepted && again.fields["Idempotent-Replayed"] == "true")
            #expect(again.body == asked.body)
            let other = try await shop.send(
                .post, "/v1/orders/\(order.id)/cancel", body: Array(#"{"reason":"paidElsewhere"}"#.utf8),
                fields: ["Idempotency-Key": "order-1"])
            #expect(other.status == .unprocessableContent, "\(other.text)")
            #expect(try other.json["code"]?.string == "idempotency-key-reused")
            let command = try #require(try asked.json["commandId"]?.string.flatMap { CommandID($0) })
            try await shop.journal(
                order,
                [
                    .orderClosed(
                        OrderClosed(
                            order: order.id, merchant: order.history.merchant, reason: .cancelled, command: command))
                ])
            let ended = try await cancel()
            #expect(ended.status == .ok)
            #expect(
                ended.text == """
                    {"commandId":"\(command)","orderId":"\(order.id)","orderStatus":"cancelled","status":"done"}
                    """)
            let commands = try await shop.ledger.owner.query("SELECT 1 FROM ledger.commands")
            #expect(commands.count == 1)
        }
    }
}
