import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox
import Testing

@testable import OrderLedger

@Suite("Reading and cancelling an order")
struct OrderTests {
    @Test("The order is open until its facts came back through the journal; then it has the status of the fold")
    func story() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let early = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(early["status"]?.string == "open")
            #expect(early["totals"]?["total"]?.integer == 10_900)
            let amount = try Shop.totals().amount
            try await shop.journal(
                order, order.history.payment(amount: amount, .accepted, .succeeded))
            let late = try await shop.send(.get, "/v1/orders/\(order.id)", bearer: order.ticket).json
            #expect(late["status"]?.string == "paid")
            #expect(late["payments"]?[0]?["status"]?.string == "succeeded")
            #expect(late["payments"]?[0]?["card"]?["lastFour"]?.string == "0005")
            #expect(late["rejectedAttempts"]?.integer == 0)
        }
    }

    @Test("A paid order shows times, goods, arrival, the card as the customer knows it, and the acquirer's serial")
    func confirmation() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open(OfferRequest(parsing: Array(FullOrder.json.utf8)))
            let amount = Money(minorUnits: 11_430, currency: .cny)
            var card = try #require(CardSummary(network: .visa, lastFour: "0005", paymentData: .emv))
            card.claimedDisplayName = ClaimedDisplayName("Tea Bank 4111 1111 1111 1234")
            let facts = order.history.payment(
                amount: amount, .accepted(card, PaymentEvent.route, PaymentEvent.reference), .succeeded)
            try await shop.journal(order, facts)
            for bearer in [Shop.apiKey, order.ticket] {
                let view = try await shop.send(.get, "/v1/orders/\(order.id)", bearer: bearer).json
                #expect(view["createdAt"]?.string == "2023-11-14T22:13:20Z")
                #expect(view["paidAt"]?.string == view["updatedAt"]?.string)
                #expect(view["lines"]?[0]?["unitAmount"]?.string == "50.00")
                #expect(view["extraLines"]?[0]?["label"]?.string == "Gift wrap")
                #expect(view["discounts"]?[0]?["amount"]?.string == "5.00")
                #expect(view["shipping"]?["detail"]?.string == "3 days")
                #expect(view["shipping"]?["type"]?.string == "delivery")
                let payment = view["payments"]?[0]
                #expect(payment?["card"]?["claimedDisplayName"]?.string == "Tea Bank 1234")
                #expect(payment?["card"]?["confirmation"]?.string == "Visa ▪▪▪▪1234 (Apple Pay)")
                #expect(payment?["createdAt"]?.string == view["paidAt"]?.string)
                let isShop = bearer == Shop.apiKey
                #expect(payment?["acquirer"]?["serial"]?.string == (isShop ? "q1" : nil))
                #expect(payment?["acquirer"]?["orderNumber"]?.string == (isShop ? "0123456789abcdef" : nil))
                #expect(view["metadata"]?["cart"]?.string == (isShop ? "17" : nil))
                #expect(view["coupons"] == nil)
            }
            let stored = try await shop.ledger.owner.query(
                "SELECT 1 FROM ledger.payments AS t WHERE t::text LIKE '%Tea Bank%'")
            #expect(stored.isEmpty, "the books keep no claim")
        }
    }

    @Test("A payment of another amount is for review: neither the order nor the payment is shown as paid")
    func otherAmount() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.journal(
                order, order.history.payment(amount: Money(minorUnits: 1, currency: .cny), .accepted, .succeeded))
            let json = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(json["status"]?.string == "review")
            #expect(json["payments"]?[0]?["status"]?.string == "review")
            let device = try await shop.send(
                .get, "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))", bearer: order.ticket)
            #expect(try device.json["status"]?.string == "confirming")
            let ticket = try await shop.send(.post, "/v1/orders/\(order.id)/ticket", bearer: order.ticket)
            #expect(ticket.status == .conflict, "nothing more is to be paid")
        }
    }

    @Test("A second success, and one after a decline, are for review; the order stays as it was")
    func surplus() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let amount = try Shop.totals().amount
            let facts =
                order.history.payment(amount: amount, .accepted, .succeeded)
                + order.history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
                + order.history.payment(Shop.paymentID(3), amount: amount, .accepted, .declined, .lateSuccess)
            try await shop.journal(order, facts)
            let json = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(json["status"]?.string == "paid")
            let statuses = (json["payments"]?.array ?? []).map { $0["status"]?.string }
            #expect(statuses == ["succeeded", "review", "review"])
        }
    }

    @Test("Other callers see nothing: another merchant, another order's ticket, no credentials")
    func isolation() async throws {
        try await TestShop.with { shop in
            let (order, other) = (try await shop.open(), try await shop.open())
            for path in ["", "/payments/\(Shop.paymentID(1))"] {
                let target = "/v1/orders/\(order.id)\(path)"
                #expect(try await shop.send(.get, target, bearer: "other-key").status == .notFound)
                #expect(try await shop.send(.get, target, bearer: other.ticket).status == .notFound)
                #expect(try await shop.send(.get, target, bearer: nil).status == .unauthorized)
                #expect(try await shop.send(.get, target, bearer: "a.b.c").status == .unauthorized)
            }
            let cancel = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", bearer: "other-key")
            #expect(cancel.status == .notFound)
            let device = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", bearer: order.ticket)
            #expect(device.status == .accepted)
            let stranger = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", bearer: other.ticket)
            #expect(stranger.status == .notFound)
            #expect(try await shop.send(.get, "/v1/orders/\(Shop.orderID(9))").status == .notFound)
            #expect(try await shop.send(.get, "/v1/orders/nonsense").status == .notFound)
        }
    }

    @Test("Damaged data in the database is a server error, not the caller's")
    func damaged() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            for request in ["{", #"{"currency":"CNY","lines":[{"label":"T","unitAmount":"0.00"}]}"#] {
                try await shop.ledger.owner.execute(
                    "UPDATE ledger.offered_orders SET request = $1, revision = 1", [Array(request.utf8)])
                await #expect(throws: StoreError.self, "the server answers 500 without details") {
                    _ = try await shop.send(.get, "/v1/orders/\(order.id)")
                }
            }
            try await shop.ledger.owner.execute("ALTER TABLE ledger.offered_orders RENAME revision TO version")
            await #expect(throws: PostgresError.self, "this error is not transient") {
                _ = try await shop.send(.get, "/v1/orders/\(order.id)")
            }
        }
    }

    @Test("A cancel becomes one command for each key to the gateway, and shows its outcome")
    func cancel() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let fields: HTTPFields = ["Idempotency-Key": "c-1"]
            let first = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", fields: fields)
            let second = try await shop.send(.post, "/v1/orders/\(order.id)/cancel", fields: fields)
            #expect(first.status == .accepted && second.status == .accepted)
            #expect(first.body == second.body)
            let command = try #require(try first.json["commandId"]?.string.flatMap { CommandID($0) })
            let rows = try await shop.ledger.owner.query(
                "SELECT value FROM ledger.outbox WHERE topic = 'orchard.charges.v1'")
            #expect(rows.count == 1)
            let signed = try SignedCommand(parsing: rows[0].bytes("value"))
            let sent = try CommandVerifier(keys: ["k1": shop.key.publicKey]).verify(signed)
            #expect(sent.partition == Partitioner.partition(of: order.id, among: 4))
            #expect(sent.command == command && sent.order == order.id && sent.merchant == Shop.merchant?.id)
            #expect(try await Self.command(shop, order) == "requested")
            let closed = Fact.orderClosed(
                OrderClosed(order: order.id, merchant: sent.merchant, reason: .cancelled, command: command))
            try await shop.journal(order, [closed])
            #expect(try await Self.command(shop, order) == "done")
        }
    }

    @Test("A device may cancel with a ticket that reads the status; the shop sees why")
    func cancelByDevice() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            // The ticket cannot pay any more.
            shop.wait(.seconds(3_600))
            let answer = try await shop.send(
                .post, "/v1/orders/\(order.id)/cancel", bearer: order.ticket,
                body: Array(#"{"reason":"paidElsewhere"}"#.utf8))
            #expect(answer.status == .accepted, "\(answer.text)")
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["commands"]?[0]?["cancelReason"]?.string == "paidElsewhere")
            let wrong = try await shop.send(
                .post, "/v1/orders/\(order.id)/cancel", bearer: order.ticket, body: Array(#"{"reason":"mood"}"#.utf8))
            #expect(wrong.status == .unprocessableContent)
            #expect(try wrong.json["field"]?.string == "reason")
        }
    }

    @Test("A rejected cancel has its reason")
    func refusedCancel() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let response = try await shop.send(.post, "/v1/orders/\(order.id)/cancel")
            let command = try #require(try response.json["commandId"]?.string.flatMap { CommandID($0) })
            let refused = CommandRejected(
                order: order.id, merchant: order.history.merchant, command: command,
                commandType: CommandType.cancel.rawValue,
                reason: .chargeInProgress)
            try await shop.journal(order, [.commandRejected(refused)])
            #expect(try await Self.command(shop, order) == "rejected")
        }
    }

    private static func command(_ shop: TestShop, _ order: TestShop.Opened) async throws -> String? {
        try await shop.send(.get, "/v1/orders/\(order.id)").json["commands"]?[0]?["status"]?.string
    }
}
