import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("POST /v1/orders")
struct OpeningTests {
    @Test("Answers 201 with Apple's payment request, a ticket for exactly this offer, and the fact in the outbox")
    func created() async throws {
        try await TestShop.with { shop in
            let response = try await shop.send(.post, "/v1/orders", body: Shop.request.json)
            #expect(response.status == .created)
            let json = try response.json
            let id = try #require(json["orderId"]?.string)
            #expect(response.fields["Location"] == "/v1/orders/\(id)")
            #expect(json["paymentRequest"]?["total"]?["amount"]?.string == "109.00")
            #expect(json["revision"]?.integer == 1)
            let ticket = try shop.tickets.verify(try #require(json["ticket"]?.string), for: .charging)
            #expect(ticket.order.description == id)
            #expect(ticket.amount == Money(minorUnits: 10_900, currency: .cny))
            #expect(ticket.merchant == Shop.merchant?.id)
            #expect(json["expiresAt"]?.string == ticket.expiresAt.description)
            let rows = try await shop.ledger.owner.query("SELECT partition, topic, value FROM ledger.outbox")
            #expect(rows.count == 1)
            #expect(try rows[0].int32("partition") == ticket.partition)
            #expect(try rows[0].string("topic") == "orchard.journal.v1")
            let value = String(decoding: try rows[0].bytes("value"), as: UTF8.self)
            #expect(!value.contains("Tea"), "goods stay out of the journal")
        }
    }

    @Test("A key that is known hinders no order that is opened at the same time")
    func together() async throws {
        try await TestShop.with { shop in
            func open(_ key: String) async throws -> HTTPResponse {
                try await shop.send(.post, "/v1/orders", body: Shop.request.json, fields: ["Idempotency-Key": key])
            }
            let known = try await open("known")
            let responses = try await withThrowingTaskGroup(of: (String, HTTPResponse).self) { tasks in
                try await shop.ledger.database.whileLent(shop.ledger.service.poolSize) {
                    for key in ["known", "known"] + (1...20).map({ "order-\($0)" }) {
                        tasks.addTask { (key, try await open(key)) }
                    }
                    while shop.api.openings.count < 22 { try await Task.sleep(for: .milliseconds(1)) }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.allSatisfy { $1.status == .created })
            for (key, response) in responses {
                #expect(response.fields["Idempotent-Replayed"] == (key == "known" ? "true" : nil))
                #expect(try (response.json["orderId"] == known.json["orderId"]) == (key == "known"))
            }
            let rows = try await shop.ledger.owner.query(
                "SELECT count(*) AS n, count(DISTINCT order_id) AS orders FROM ledger.offered_orders")
            #expect(try rows[0].int64("n") == 21 && rows[0].int64("orders") == 21)
            for table in ["idempotency_keys", "offers", "outbox"] {
                #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.\(table)").count == 21, "\(table)")
            }
        }
    }

    @Test("Orders with new keys that come at the same time share transactions")
    func sharing() async throws {
        try await TestShop.with { shop in
            try await withThrowingTaskGroup(of: HTTPResponse.self) { tasks in
                try await shop.ledger.database.whileLent(shop.ledger.service.poolSize) {
                    for number in 1...20 {
                        tasks.addTask {
                            try await shop.send(
                                .post, "/v1/orders", body: Shop.request.json, fields: ["Idempotency-Key": "\(number)"])
                        }
                    }
                    while shop.api.openings.count < 20 { try await Task.sleep(for: .milliseconds(1)) }
                }
                for try await response in tasks { #expect(response.status == .created) }
            }
            let rows = try await shop.ledger.owner.query(
                "SELECT count(*) AS n, count(DISTINCT xmin::text) AS transactions FROM ledger.offered_orders")
            #expect(try rows[0].int64("n") == 20)
            // Two groups begin before there is a connection; the others are one more at most.
            #expect(try (1...3).contains(rows[0].int64("transactions")))
        }
    }

    @Test("An order whose key another process writes, or whose partition is refused, hinders no other")
    func held() async throws {
        try await TestShop.with { shop in
            let merchant = try #require(Shop.merchant?.id)
            func key(in partition: Int32, _ name: String = "key") throws -> String {
                try #require(
                    (1...100).map { "\(name)-\($0)" }.first { text in
                        let order = IdempotencyKey(merchant: merchant, text: text).order
                        return Partitioner.partition(of: order, among: 4) == partition
                    })
            }
            let (held, refused) = (try key(in: 0, "held"), try key(in: 3))
            try await shop.ledger.owner.execute("UPDATE ledger.inbox_watermarks SET refusal = 'x' WHERE partition = 3")
            let frozen = try await PostgresConnection.connect(shop.ledger.service)
            let slot = IdempotencyKey(merchant: merchant, text: held).slot
            try await frozen.script(
                """
                BEGIN; INSERT INTO ledger.idempotency_keys (slot, merchant_id, key, order_id, partitions, created_at)
                VALUES (\(slot), '\(merchant)', '\(held)', gen_random_uuid(), 4, now())
                """)
            let keys = [held, refused] + (try (0..<3).map { try key(in: $0) })
            try await withThrowingTaskGroup(of: (String, HTTPResponse).self) { tasks in
                try await shop.ledger.database.whileLent(shop.ledger.service.poolSize) {
                    for key in keys {
                        tasks.addTask {
                            let response = try await shop.send(
                                .post, "/v1/orders", body: Shop.request.json, fields: ["Idempotency-Key": key])
                            return (key, response)
                        }
                    }
                    while shop.api.openings.count < keys.count { try await Task.sleep(for: .milliseconds(1)) }
                }
                for _ in 0..<(keys.count - 1) {
                    guard let (key, response) = try await tasks.next() else { break }
                    #expect(key != held, "the others are answered first")
                    #expect(response.status == (key == refused ? .serviceUnavailable : .created), "\(response.text)")
                }
                try await frozen.script("ROLLBACK")
                let last = try await tasks.next()
                #expect(last?.0 == held && last?.1.status == .created)
            }
            await frozen.close()
        }
    }

    @Test("The contact that a shop knows starts the sheet, is no part of the order, and is stored nowhere")
    func presets() async throws {
        try await TestShop.with { shop in
            let order = #"{"currency":"CNY","lines":[{"label":"Tea","unitAmount":"1.00"}]"#
            func open(_ contact: String) async throws -> HTTPResponse {
                try await shop.send(
                    .post, "/v1/orders",
                    body: Array("\(order),\(contact),\"billingContact\":{\"familyName\":\"Zhou\"}}".utf8),
                    fields: ["Idempotency-Key": "one"])
            }
            let opened = try await open(#""shippingContact":{"givenName":"Ada","countryCode":"CN"}"#)
            #expect(opened.status == .created, "\(opened.text)")
            for request in ["paymentRequest", "passKitRequest"] {
                let request = try opened.json[request]
                #expect(request?["shippingContact"]?["givenName"]?.string == "Ada")
                #expect(request?["billingContact"]?["familyName"]?.string == "Zhou")
                #expect(request?["shippingContactEditingMode"] == nil)
            }
            // The same order: another contact does not change it.
            let repeated = try await open(#""shippingContact":{"givenName":"Eve"}"#)
            #expect(try repeated.status == .created && repeated.json["orderId"] == opened.json["orderId"])
            #expect(try repeated.json["paymentRequest"]?["shippingContact"]?["givenName"]?.string == "Eve")
            let tables = try await shop.ledger.owner.query(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'ledger' AND table_type = 'BASE TABLE'"
            )
            for table in try tables.map({ try $0.string("table_name") }) {
                let rows = try await shop.ledger.owner.query(
                    "SELECT 1 FROM ledger.\(table) AS t WHERE t::text LIKE '%Zhou%' OR t::text LIKE '%Ada%'")
                #expect(rows.isEmpty, "\(table)")
            }
            let wrong = try await open(#""shippingContact":"Shanghai""#)
            #expect(try wrong.status == .badRequest && wrong.json["field"]?.string == "shippingContact")
        }
    }

    @Test(
        "The problem names the wrong field",
        arguments: [
            ("{", HTTPStatus.badRequest, "invalid-body", ""),
            (#"{"currency":"CNY","currency":"CNY"}"#, .badRequest, "invalid-body", "currency"),
            ("{\"currency\":\"CNY\",\"lines\":[{\"label\":\"\u{1}\"}]}", .badRequest, "invalid-body", "lines[0].label"),
            (#"{"currency":"CNY","lines":7}"#, .badRequest, "invalid-body", "lines"),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":true}]}"#, .badRequest, "invalid-body",
                "lines[0].unitAmount"
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":100}]}"#, .badRequest, "invalid-body",
                "lines[0].unitAmount"
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"100"}]}"#, .unprocessableContent,
                "invalid-body", "lines[0].unitAmount"
            ),
            (#"{"currency":"CNY"}"#, .unprocessableContent, "invalid-body", "lines"),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"50000.01"}]}"#, .unprocessableContent,
                "invalid-offer", "lines"
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"0.01"}],"payee":"0190a0b0c0d0e0f00102030405060709"}"#,
                .unprocessableContent, "invalid-offer", "payee"
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"0.01"}],"shippingMethod":"x"}"#,
                .unprocessableContent,
                "invalid-offer", "shippingMethod"
            ),
            (
                #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"1.00"}],"shippingType":"storePickup","shippingMethods":[{"identifier":"a","label":"A","detail":"today","amount":"0.00"}],"pickup":{"countryCode":"CN","addressLines":["1 Nanjing Rd"],"locality":"Shanghai"},"shippingContact":{}}"#,
                .unprocessableContent, "invalid-offer", "shippingContact"
            ),
        ])
    func problems(_ body: String, _ status: HTTPStatus, _ code: String, _ field: String) async throws {
        try await TestShop.with { shop in
            let response = try await shop.send(.post, "/v1/orders", body: Array(body.utf8))
            #expect(response.status == status, "\(response.text)")
            #expect(response.fields["Content-Type"] == "application/problem+json")
            let json = try response.json
            #expect(json["code"]?.string == code)
            #expect(json["field"]?.string == field)
        }
    }

    @Test("Needs the merchant's key, JSON, and a sensible Idempotency-Key")
    func refusals() async throws {
        try await TestShop.with { shop in
            for bearer in [nil, "wrong", "a.b.c"] {
                let response = try await shop.send(.post, "/v1/orders", bearer: bearer, body: Shop.request.json)
                #expect(response.status == .unauthorized)
                #expect(response.fields["WWW-Authenticate"] == "Bearer")
            }
            let text = try await shop.send(
                .post, "/v1/orders", body: Shop.request.json, fields: ["Content-Type": "text/plain"])
            #expect(text.status == .unsupportedMediaType)
            let key = try await shop.send(
                .post, "/v1/orders", body: Shop.request.json, fields: ["Idempotency-Key": "a b"])
            #expect(key.status == .badRequest)
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders").isEmpty)
        }
    }

    @Test("A currency that no route takes is refused before the customer sees a sheet")
    func otherCurrency() async throws {
        try await TestShop.with { shop in
            let body = #"{"currency":"JPY","lines":[{"label":"Tea","unitAmount":"1500"}]}"#
            let answer = try await shop.send(.post, "/v1/orders", body: Array(body.utf8))
            #expect(answer.status == .unprocessableContent)
            #expect(try answer.json["field"]?.string == "currency")
            #expect(try answer.json["reason"]?.string == "noRoute")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offered_orders").isEmpty)
        }
    }

    @Test("Networks and capabilities are public before an order exists")
    func applePay() async throws {
        try await TestShop.with { shop in
            let id = try #require(Shop.merchant?.id)
            let answer = try await shop.send(.get, "/v1/merchants/\(id)/apple-pay", bearer: nil)
            #expect(
                answer.text == """
                    {"countryCode":"CN","currencies":[{"currencyCode":"CNY",\
                    "merchantCapabilities":["supports3DS","supportsEMV"],"supportedNetworks":["chinaUnionPay","visa"]}],\
                    "displayName":"Orchard Tea","merchantIdentifier":"merchant.example.tea"}
                    """)
            let unknown = try await shop.send(.get, "/v1/merchants/\(Shop.otherMerchant)/apple-pay", bearer: nil)
            #expect(unknown.status == .notFound)
        }
    }

    @Test("An order that ends soon gets a ticket that ends with it; afterwards it gets none")
    func expiring() async throws {
        try await TestShop.with { shop in
            var request = Shop.request
            request.expiresAt = Timestamp(seconds: 1_700_000_000 + 120)
            let order = try await shop.open(request)
            #expect(order.answer["expiresAt"]?.string == request.expiresAt?.description)
            shop.wait(.seconds(121))
            let late = try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: order.ticket)
            #expect(late.status == .conflict)
            #expect(try late.json["code"]?.string == "order-expired")
        }
    }

    @Test("An order on a read-only database gets 503 for a retry, not 500")
    func readOnly() async throws {
        try await TestShop.with { shop in
            try await Self.makeReadOnly(shop.ledger.database, connections: shop.ledger.service.poolSize)
            let answer = try await shop.send(.post, "/v1/orders", body: Shop.request.json)
            #expect(answer.status == .serviceUnavailable, "\(answer.text)")
            #expect(try answer.json["code"]?.string == "database-unavailable")
        }
    }

    /// Borrows every connection at once and makes its session read-only.
    private static func makeReadOnly(_ pool: PostgresPool, connections: Int) async throws {
        guard connections > 0 else { return }
        try await pool.withConnection { connection in
            try await connection.execute("SET default_transaction_read_only = on")
            try await makeReadOnly(pool, connections: connections - 1)
        }
    }
}
