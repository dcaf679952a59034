import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Captures, voids, refunds and final lines")
struct FollowUpTests {
    /// An order of the merchant, and the payment that a charge with this event makes.
    static func paid(
        _ shop: TestShop, _ event: PaymentEvent = .succeeded, pending: Bool = false
    ) async throws -> TestShop.Opened {
        var request = Shop.request
        if event == .authorised { request.captureMode = .authorise }
        request.isTotalPending = pending
        let order = try await shop.open(request)
        try await shop.journal(order, order.history.payment(amount: Shop.totals().amount, .accepted, event))
        return order
    }

    static func ask(
        _ shop: TestShop, _ order: TestShop.Opened, _ route: String, _ body: String? = nil, key: String? = nil,
        bearer: String = Shop.apiKey
    ) async throws -> HTTPResponse {
        var fields: HTTPFields = [:]
        fields["Idempotency-Key"] = key
        return try await shop.send(
            .post, "/v1/orders/\(order.id)/\(route)", bearer: bearer, body: body.map { Array($0.utf8) }, fields: fields)
    }

    /// The commands that wait in the outbox for the gateway.
    private static func commands(_ shop: TestShop) async throws -> [FollowUpRequested] {
        try await shop.ledger.owner.query(
            "SELECT value FROM ledger.outbox WHERE topic = $1 ORDER BY position", [Topic.charges.name]
        ).compactMap { row in
            let signed = try SignedCommand(parsing: row.bytes("value"))
            let claims = try CommandVerifier(keys: ["k1": shop.key.publicKey]).verify(signed)
            if case .followUp(let claims) = claims { return claims }
            return nil
        }
    }

    /// Folds facts of a command's operation behind all others.
    private static func fold(
        _ shop: TestShop, _ order: TestShop.Opened, _ kind: FollowUpKind, by command: CommandID,
        target: OperationKind? = nil, amount: Int64, _ events: [FollowUpEvent]
    ) async throws {
        let facts = events.enumerated().map { index, event in
            Fact.followUp(
                FollowUpFact(
                    order: order.id, merchant: order.history.merchant, payment: Shop.paymentID(1), kind: kind,
                    target: target, cause: .command(command), transition: Int64(index + 1),
                    amount: Money(minorUnits: amount, currency: .cny), event: event))
        }
        let next = try await shop.ledger.owner.query(
            "SELECT next_offset FROM ledger.inbox_watermarks WHERE partition = $1", [order.partition]
        )[0].int64("next_offset")
        try await shop.ledger.fold(facts, from: next, partition: order.partition)
    }

    @Test("are signed commands to the gateway, with what the shop asked for")
    func commands() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let answer = try await Self.ask(shop, order, "refunds", #"{"amount":"30.00","reason":"Broken cup"}"#)
            #expect(answer.status == .accepted, "\(answer.text)")
            let json = try answer.json
            let command = try #require(json["commandId"]?.string.flatMap { CommandID($0) })
            #expect(json["status"]?.string == "requested" && json["orderId"]?.string == order.id.description)
            #expect(answer.fields["Location"] == "/v1/orders/\(order.id)/commands/\(command)")
            let sent = try #require(try await Self.commands(shop).first)
            #expect(
                sent
                    == FollowUpRequested(
                        .refund, command: command, order: order.id, merchant: order.history.merchant,
                        payment: Shop.paymentID(1), amount: Money(minorUnits: 3_000, currency: .cny),
                        requestedAt: Timestamp(seconds: 1_700_000_000), partitions: 4))
            // The shop's words stay in the database.
            #expect(!String(decoding: sent.json, as: UTF8.self).contains("Broken"))
            let lines = try await Self.ask(shop, order, "refunds", #"{"lines":[{"line":0,"quantity":1}]}"#)
            let parts = OfferTotals(currency: .cny, subtotal: 5_000, discount: 250, shipping: 0, tax: 300)
            #expect(try await Self.commands(shop).last?.parts == parts, "\(lines.text)")
            _ = try await Self.ask(shop, order, "voids")
            #expect(try await Self.commands(shop).map(\.kind) == [.refund, .refund, .void])
        }
    }

    @Test("are sent once for each Idempotency-Key, and answered with what became of them; another body is refused")
    func once() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let body = #"{"amount":"30.00"}"#
            let first = try await Self.ask(shop, order, "refunds", body, key: "r-1")
            shop.wait(.seconds(60))
            let second = try await Self.ask(
                shop, order, "refunds", #"{ "currency":"CNY", "amount":"30.00" }"#, key: "r-1")
            #expect(first.body == second.body && second.status == .accepted)
            #expect(second.fields["Idempotent-Replayed"] == "true")
            #expect(try await Self.commands(shop).count == 1)
            for (route, other) in [
                ("refunds", #"{"amount":"30.01"}"#), ("refunds", #"{"amount":"30.00","reason":"Why"}"#),
                ("voids", "{}"),
                ("captures", body), ("cancel", "{}"),
            ] {
                let answer = try await Self.ask(shop, order, route, other, key: "r-1")
                #expect(answer.status == .unprocessableContent, "\(route): \(answer.text)")
                #expect(try answer.json["code"]?.string == "idempotency-key-reused", "\(route)")
            }
            let command = try #require(try first.json["commandId"]?.string.flatMap { CommandID($0) })
            try await Self.fold(
                shop, order, .refund, by: command, amount: 3_000, [.accepted, FollowUpEvent.succeeded])
            let third = try await Self.ask(shop, order, "refunds", body, key: "r-1")
            #expect(try third.status == .ok && third.json["status"]?.string == "done", "\(third.text)")
            #expect(try third.json["operations"]?[0]?["kind"]?.string == "refund")
            // Another key is another refund.
            let next = try await Self.ask(shop, order, "refunds", body, key: "r-2")
            #expect(next.status == .accepted)
        }
    }

    @Test(
        "answer a repetition with their end",
        arguments: [
            ("captures", "{}", FollowUpKind.capture, 10_900), ("voids", "{}", .void, 10_900),
            ("finalise", #"{"lines":[{"label":"Ride","unitAmount":"60.00"}]}"#, .capture, 6_800),
        ] as [(String, String, FollowUpKind, Int64)])
    func repeated(route: String, body: String, kind: FollowUpKind, amount: Int64) async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised, pending: true)
            let first = try await Self.ask(shop, order, route, body, key: "k-1")
            let command = try #require(try first.json["commandId"]?.string.flatMap { CommandID($0) }, "\(first.text)")
            try await Self.fold(
                shop, order, kind, by: command, target: kind == .void ? .authorisation : nil, amount: amount,
                [.accepted, FollowUpEvent.succeeded])
            let again = try await Self.ask(shop, order, route, body, key: "k-1")
            #expect(try again.status == .ok && again.json["status"]?.string == "done", "\(again.text)")
        }
    }

    @Test("remember the books' word when the database has lost the command")
    func lost() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let first = try await Self.ask(shop, order, "refunds", #"{"amount":"30.00"}"#, key: "r-1")
            let command = try #require(try first.json["commandId"]?.string.flatMap { CommandID($0) })
            try await Self.fold(shop, order, .refund, by: command, amount: 3_000, [.accepted])
            try await shop.ledger.owner.execute("DELETE FROM ledger.commands")
            let again = try await Self.ask(shop, order, "refunds", #"{"amount":"30.00"}"#, key: "r-1")
            #expect(try again.json["status"]?.string == "inProgress", "\(again.text)")
            #expect(try await Self.commands(shop).count == 1)
        }
    }

    @Test(
        "are refused at once where the ledger knows that they cannot be",
        arguments: [
            ("captures", "{}", 409, "not-capturable"), ("captures", #"{"amount":"0.00"}"#, 422, "invalid-body"),
            ("refunds", #"{"amount":"109.01"}"#, 422, "amount-above-refundable"),
            ("refunds", #"{"amount":"-1.00"}"#, 422, "invalid-body"),
            ("refunds", #"{"amount":"1.0"}"#, 422, "invalid-body"),
            ("refunds", #"{"amount":"1.00","currency":"USD"}"#, 422, "invalid-body"),
            ("refunds", #"{"amount":1}"#, 400, "invalid-body"),
            ("refunds", #"{"lines":[{"line":1,"quantity":1}]}"#, 422, "lines-not-sold"),
            ("refunds", #"{"lines":[{"line":0,"quantity":3}]}"#, 422, "lines-not-sold"),
            ("refunds", #"{"paymentId":"00000000000000000000000000000001"}"#, 409, "payment-not-charged"),
            ("refunds", "x", 400, "invalid-body"), ("voids", #"{"amount":"1.00"}"#, 422, "invalid-body"),
            ("finalise", #"{"lines":[{"label":"Ride","unitAmount":"1.00"}]}"#, 409, "total-not-pending"),
            ("finalise", "", 422, "invalid-body"), ("cancel", "{}", 409, "order-paid"),
        ])
    func refused(_ route: String, _ body: String, _ status: Int, _ code: String) async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let answer = try await Self.ask(shop, order, route, body.isEmpty ? nil : body)
            #expect(answer.status.code == status, "\(answer.text)")
            #expect(try answer.json["code"]?.string == code, "\(answer.text)")
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.commands").isEmpty)
        }
    }

    @Test("are for a paid order of the same merchant, and for a key with their scope")
    func callers() async throws {
        try await TestShop.with { shop in
            let open = try await shop.open()
            let order = try await Self.paid(shop)
            for route in ["captures", "voids", "refunds"] {
                let unpaid = try await Self.ask(shop, open, route)
                #expect(try unpaid.json["code"]?.string == "order-unpaid", "\(route)")
                let other = try await Self.ask(shop, order, route, bearer: "other-key")
                #expect(try other.status == .notFound && other.json["code"]?.string == "no-such-order", "\(route)")
                let without = try await Self.ask(shop, order, route, bearer: Shop.orderingKey)
                #expect(try without.status == .forbidden && without.json["scope"]?.string == "refunds", "\(route)")
                let device = try await Self.ask(shop, order, route, bearer: order.ticket)
                #expect(device.status == .unauthorized, "\(route)")
            }
        }
    }

    @Test("One at a time: nothing follows a payment while a refund has no outcome, and then only what is left")
    func left() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let command = CommandID(hash: [UInt8](repeating: 1, count: 32))
            try await Self.fold(shop, order, .refund, by: command, amount: 3_000, [.accepted, .unknown])
            for route in ["captures", "voids", "refunds"] {
                let answer = try await Self.ask(shop, order, route)
                #expect(try answer.json["code"]?.string == "operation-in-progress", "\(route)")
                #expect(try answer.json["refundable"]?["minorUnits"] == .integer(7_900))
            }
            let next = try await shop.ledger.owner.query(
                "SELECT next_offset FROM ledger.inbox_watermarks WHERE partition = $1", [order.partition]
            )[0].int64("next_offset")
            let end = Fact.followUp(
                FollowUpFact(
                    order: order.id, merchant: order.history.merchant, payment: Shop.paymentID(1), kind: .refund,
                    cause: .command(command), transition: 3, amount: Money(minorUnits: 3_000, currency: .cny),
                    event: .succeeded))
            try await shop.ledger.fold([end], from: next, partition: order.partition)
            let above = try await Self.ask(shop, order, "refunds", #"{"amount":"79.01"}"#)
            #expect(try above.json["code"]?.string == "amount-above-refundable")
            #expect(try above.json["refundable"]?["minorUnits"] == .integer(7_900))
            let rest = try await Self.ask(shop, order, "refunds")
            #expect(try rest.json["amount"]?["minorUnits"] == .integer(7_900), "\(rest.text)")
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["amounts"]?["captured"] == .integer(10_900) && view["amounts"]?["refunded"] == .integer(3_000))
            #expect(view["payments"]?[0]?["amounts"] == view["amounts"])
            #expect(view["followUps"]?[0]?["status"]?.string == "succeeded")
            #expect(view["commands"]?[0]?["amount"]?["minorUnits"] == .integer(7_900))
            let timeline = try await shop.send(.get, "/v1/orders/\(order.id)/timeline").json
            let types = (timeline["events"]?.array ?? []).compactMap { $0["type"]?.string }
            #expect(types.contains("orchard.refund.succeeded.v1") && types.contains("orchard.refund.requested.v1"))
        }
    }

    @Test("Pieces that came back before are not refunded again, unless that refund was rejected")
    func pieces() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop)
            let body = #"{"lines":[{"line":0,"quantity":2}]}"#
            let first = try await Self.ask(shop, order, "refunds", body)
            let again = try await Self.ask(shop, order, "refunds", body)
            #expect(try again.json["code"]?.string == "lines-not-sold", "\(again.text)")
            let command = try #require(try first.json["commandId"]?.string.flatMap { CommandID($0) })
            let rejected = CommandRejected(
                order: order.id, merchant: order.history.merchant, command: command,
                commandType: CommandType.refund.rawValue, reason: .operationInProgress)
            try await shop.ledger.fold([.commandRejected(rejected)], from: 3, partition: order.partition)
            let third = try await Self.ask(shop, order, "refunds", body)
            #expect(third.status == .accepted, "\(third.text)")
            // 100.00 − 5.00 + 6.00; the postage stays.
            #expect(try third.json["amount"]?["minorUnits"] == .integer(10_100))
        }
    }

    @Test("A hold is captured up to 115 %, and shown as authorised until then")
    func hold() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised)
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["status"]?.string == "authorised" && view["captureMode"]?.string == "authorise")
            #expect(view["amounts"]?["authorised"] == .integer(10_900) && view["paidAt"] == nil)
            let answer = try await shop.send(
                .get, "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))", bearer: order.ticket)
            #expect(try answer.json["status"]?.string == "authorised" && answer.json["final"]?.bool == true)
            #expect(try answer.json["applePay"]?["status"]?.string == "STATUS_SUCCESS")
            let listed = try await shop.send(.get, "/v1/orders?status=authorised").json
            #expect(listed["orders"]?[0]?["orderId"]?.string == order.id.description)
            let above = try await Self.ask(shop, order, "captures", #"{"amount":"125.36"}"#)
            #expect(try above.json["code"]?.string == "amount-above-hold", "\(above.text)")
            #expect(try above.json["limit"]?["minorUnits"] == .integer(12_535))
            #expect(try await Self.ask(shop, order, "refunds").json["code"]?.string == "payment-not-charged")
            let capture = try await Self.ask(shop, order, "captures", #"{"amount":"125.35"}"#)
            let command = try #require(try capture.json["commandId"]?.string.flatMap { CommandID($0) })
            try await Self.fold(shop, order, .capture, by: command, amount: 12_535, [.accepted, .succeeded])
            let paid = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(paid["status"]?.string == "paid" && paid["amounts"]?["captured"] == .integer(12_535))
            #expect(paid["paidAt"] != nil)
            #expect(try await Self.ask(shop, order, "captures").json["code"]?.string == "not-capturable")
        }
    }

    @Test("Final lines have the time when the shop set them, not the second before")
    func timeOfFinalLines() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised, pending: true)
            shop.wait(.milliseconds(750))
            let answer = try await Self.ask(
                shop, order, "finalise", #"{"lines":[{"label":"Ride","unitAmount":"60.00"}]}"#)
            #expect(try answer.json["requestedAt"]?.string == "2023-11-14T22:13:20.750000Z")
            let headers = try await shop.ledger.owner.query("SELECT headers::text FROM ledger.outbox ORDER BY position")
                .map { try $0.string("headers") }.filter { $0.contains("orchard.order.finalised.v1") }
            #expect(headers.count == 1 && headers[0].contains("2023-11-14T22:13:20.750000Z"), "\(headers)")
        }
    }

    @Test("Final lines and their capture are written together, once, and shown with the order")
    func finalise() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised, pending: true)
            #expect(order.answer["paymentRequest"]?["total"]?["type"]?.string == "pending")
            let items = order.answer["passKitRequest"]?["paymentSummaryItems"]?.array
            #expect(items?.map { $0["type"] } == [.integer(0), .integer(0), .integer(0), .integer(0), .integer(1)])
            let ticket = try shop.tickets.verify(order.ticket, for: .charging)
            #expect(ticket.captureMode == .authorise && ticket.isTotalPending)
            let above = try await Self.ask(
                shop, order, "finalise", #"{"lines":[{"label":"Ride","unitAmount":"122.36"}]}"#)
            #expect(try above.json["code"]?.string == "amount-above-hold", "\(above.text)")
            let body = #"{"lines":[{"label":"Ride","unitAmount":"60.00","tax":"3.60"}],"discounts":[]}"#
            let answer = try await Self.ask(shop, order, "finalise", body, key: "f-1")
            #expect(answer.status == .accepted, "\(answer.text)")
            let again = try await Self.ask(shop, order, "finalise", body, key: "f-1")
            #expect(again.body == answer.body)
            let sent = try await Self.commands(shop)
            let parts = OfferTotals(currency: .cny, subtotal: 6_000, discount: 0, shipping: 800, tax: 360)
            #expect(sent.map(\.parts) == [parts] && sent[0].kind == .capture)
            let facts = try await shop.ledger.owner.query(
                "SELECT value FROM ledger.outbox WHERE topic = $1 ORDER BY position", [Topic.journal.name]
            ).compactMap { try? OfferFact(parsing: $0.bytes("value")) }
            #expect(facts.map(\.revision) == [1, 2] && facts.last?.totals == parts)
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["lines"]?[0]?["label"]?.string == "Ride" && view["discounts"] == nil)
            #expect(view["totals"]?["total"] == .integer(7_160) && view["revision"] == .integer(2))
            #expect(view["pendingTotal"]?.bool == false)
            // The fold knows of it: a second time is refused.
            let next = try await shop.ledger.owner.query(
                "SELECT next_offset FROM ledger.inbox_watermarks WHERE partition = $1", [order.partition]
            )[0].int64("next_offset")
            let final = try #require(facts.last)
            try await shop.ledger.fold([.orderFinalised(final)], from: next, partition: order.partition)
            let second = try await Self.ask(shop, order, "finalise", body, key: "f-2")
            #expect(try second.json["code"]?.string == "already-finalised", "\(second.text)")
            let report = try await shop.ledger.audit()
            let offers = try #require(report.checks.first { $0.id == "T4" })
            #expect(offers.outcome == .passed, "\(report.text)")
        }
    }

    @Test("A capture without an amount takes what final lines cost, also before the fold knows them")
    func captureAfterFinalLines() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised, pending: true)
            let body = #"{"lines":[{"label":"Ride","unitAmount":"60.00","tax":"3.60"}],"discounts":[]}"#
            #expect(try await Self.ask(shop, order, "finalise", body, key: "f-1").status == .accepted)
            let again = try await Self.ask(shop, order, "finalise", body, key: "f-2")
            #expect(try again.json["code"]?.string == "already-finalised", "\(again.text)")
            #expect(try await Self.ask(shop, order, "captures", "{}", key: "c-1").status == .accepted)
            let sent = try await Self.commands(shop)
            #expect(sent.map(\.amount?.minorUnits) == [7_160, 7_160] && sent[0].parts == sent[1].parts)
        }
    }

    /// A hold with a pending total, by post; the device chose the courier before the books knew that the payment holds.
    static func heldBeforeAnotherChoice(_ shop: TestShop) async throws -> TestShop.Opened {
        var request = Shop.request
        (request.captureMode, request.isTotalPending) = (.authorise, true)
        let order = try await shop.open(request)
        let answer = try await Self.ask(
            shop, order, "shipping-method", #"{"shippingMethod":"courier"}"#, bearer: order.ticket)
        #expect(try answer.json["revision"] == .integer(2), "\(answer.text)")
        try await shop.journal(order, order.history.payment(amount: Shop.totals().amount, .accepted, .authorised))
        return order
    }

    @Test("Final lines cost what the customer chose in the offer that was paid, not what was chosen after it")
    func finalLinesOfThePaidChoice() async throws {
        try await TestShop.with { shop in
            let order = try await Self.heldBeforeAnotherChoice(shop)
            let body = #"{"lines":[{"label":"Ride","unitAmount":"60.00","tax":"3.60"}],"discounts":[]}"#
            let parts = OfferTotals(currency: .cny, subtotal: 6_000, discount: 0, shipping: 800, tax: 360)
            #expect(try await Self.ask(shop, order, "finalise", body, key: "f-1").status == .accepted)
            #expect(try await Self.ask(shop, order, "captures", "{}", key: "c-1").status == .accepted)
            #expect(try await Self.commands(shop).map(\.parts) == [parts, parts])
            for _ in 1...2 {
                let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
                #expect(view["totals"]?["total"] == .integer(7_160) && view["revision"] == .integer(3))
                #expect(view["shippingMethod"]?.string == "post")
                try await shop.journal(order)
            }
            let report = try await shop.ledger.audit()
            let offers = try #require(report.checks.first { $0.id == "T4" })
            #expect(offers.outcome == .passed, "\(report.text)")
        }
    }

    @Test("Final lines are refused while a capture is on its way: it may take another amount")
    func finalLinesAfterCapture() async throws {
        try await TestShop.with { shop in
            let order = try await Self.paid(shop, .authorised, pending: true)
            #expect(try await Self.ask(shop, order, "captures", "{}", key: "c-1").status == .accepted)
            let body = #"{"lines":[{"label":"Ride","unitAmount":"60.00","tax":"3.60"}],"discounts":[]}"#
            let refused = try await Self.ask(shop, order, "finalise", body, key: "f-1")
            #expect(try refused.json["code"]?.string == "operation-in-progress", "\(refused.text)")
            #expect(try await Self.commands(shop).count == 1)
        }
    }
}
