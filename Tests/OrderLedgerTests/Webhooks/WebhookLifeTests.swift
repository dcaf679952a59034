import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Webhooks that are not sent", .timeLimit(.minutes(4)))
struct WebhookLifeTests {
    @Test("Facts from before this database was made are not told: a rebuilt ledger sends nothing again")
    func rebuilt() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            let made = try await fixture.ledger.owner.query(
                "SELECT applied_at FROM ledger.schema_migrations WHERE name = 'webhooks'")[0].time("applied_at")
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order), at: made - .milliseconds(1))
            #expect(try await fixture.count() == 0)
            try await fixture.tell(fixture.paying(order), at: made)
            #expect(try await fixture.count() == 1)
        }
    }

    @Test("A message whose merchant is not in merchants.json is reported; one of a merchant without endpoints is not")
    func unknownMerchant() async throws {
        try await WebhookFixture.with { shop in
            let order = try shop.order(1)
            try await shop.pay(order)
            #expect(shop.withoutMerchant.withLock { $0.map(\.event) } == [.orderPaid])
            #expect(shop.withoutMerchant.withLock { $0.map(\.order) } == [order.order])
            try shop.configure([])
            try await shop.pay(try shop.order(2))
            #expect(shop.withoutMerchant.withLock { $0.count } == 1)
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.webhook_messages").isEmpty)
        }
    }

    @Test("Facts older than 3 days are not told")
    func old() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            try await fixture.ledger.owner.execute(
                "UPDATE ledger.schema_migrations SET applied_at = now() - interval '1 year' WHERE name = 'webhooks'")
            let (old, young) = (try fixture.order(1), try fixture.order(2))
            for (order, age) in [(old, Duration.seconds(3 * 86_400 + 1)), (young, .seconds(3 * 86_400))] {
                try await fixture.tell(
                    [order.offer(1, try Shop.totals())] + fixture.paying(order), at: fixture.now - age)
            }
            #expect(try await fixture.messages(old).isEmpty)
            #expect(try await fixture.messages(young).count == 1)
        }
    }

    @Test("After recover: what the lost database had folded is not told, and what waited is parked, not sent")
    func recovered() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let orders = try (1...3).map { try fixture.order($0) }
            try await fixture.pay(orders[0])  // offsets 0 to 2
            try await fixture.ledger.database.withTransaction {
                try await WebhookStore.setBegin(of: Shop.partition, to: 6, on: $0)
            }
            try await fixture.pay(orders[1])
            try await fixture.pay(orders[2])
            try await fixture.deliver()
            #expect(shop.requests.map(\.order) == [orders[2].order.description])
            let parked = try await fixture.messages(orders[0])
            #expect(parked.map(\.state) == ["parked"])
            #expect(parked.first?.reason?.contains("restored") == true)
            #expect(try await fixture.messages(orders[1]).isEmpty)
        }
    }

    @Test("Messages of an endpoint that no worker has had for 10 minutes are parked, and the list says why")
    func removed() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", "http://127.0.0.1:1/"), ("till", shop.url)])
            let order = try fixture.order(1)
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order) + fixture.paying(order))
            try await fixture.deliver()
            try await fixture.sweep().check(at: fixture.now)
            try fixture.configure([("till", shop.url)])
            fixture.wait(.seconds(600))
            try await fixture.sweep().check(at: fixture.now)
            // Another worker may have a newer file.
            #expect(try await fixture.messages(order).map(\.state) == ["waiting", "waiting"])
            fixture.wait(.seconds(1))
            try await fixture.sweep().check(at: fixture.now)
            let messages = try await fixture.messages(order)
            #expect(messages.map(\.state) == ["parked", "parked"])
            #expect(messages.allSatisfy { $0.line.contains("no longer in merchants.json") })
            #expect(fixture.ledger.metrics.webhooks(.parked).value == 2)
            #expect(try await fixture.messages(order, "till").map(\.state) == ["delivered", "delivered"])
        }
    }

    @Test("A server that took nothing for 3 days: what is as old is parked, what is younger waits")
    func silent() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { _ in "500 Internal Server Error" }
            try fixture.configure([("erp", shop.url)])
            let orders = try (1...30).map { try fixture.order($0) }
            for order in orders { try await fixture.pay(order) }
            try await fixture.deliver()
            let readiness = Readiness()
            fixture.wait(.seconds(86_400))
            try await fixture.sweep(readiness).check(at: fixture.now)
            #expect(try await fixture.count("state = 'parked'") == 0)
            #expect(readiness.report.isReady)
            #expect(readiness.report.components["webhooks"]?.reason.contains("answered 500") == true)
            let name = WebhookName(merchant: orders[0].merchant, endpoint: "erp")
            #expect(fixture.ledger.metrics.oldestWebhook(name).value == 86_400)
            let young = try fixture.order(31)
            fixture.wait(.seconds(2 * 86_400))
            try await fixture.pay(young)
            try await fixture.sweep(readiness).check(at: fixture.now + .seconds(1))
            #expect(try await fixture.count("state = 'parked'") == 30)
            #expect(try await fixture.messages(young).map(\.state) == ["waiting"])
            shop.answer { _ in "200 OK" }
            fixture.wait(.seconds(1))
            try await fixture.deliver()
            try await fixture.sweep(readiness).check(at: fixture.now)
            #expect(readiness.report.components["webhooks"]?.reason == "every shop's server takes them")
            #expect(fixture.ledger.metrics.oldestWebhook(name).value == 0)
        }
    }

    @Test("Parked messages are sent again when an operator says so, in the order of their order")
    func replayed() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let (order, other) = (try fixture.order(1), try fixture.order(2))
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order) + fixture.paying(order))
            try await fixture.pay(other)
            let name = WebhookName(merchant: order.merchant, endpoint: "erp")
            #expect(try await fixture.store.park(name, upTo: fixture.now, because: "test", at: fixture.now) == 3)
            try await fixture.deliver()
            #expect(shop.requests.isEmpty)
            let list = WebhookList(connection: fixture.ledger.owner)
            let one = try #require(try await list.items(.parked).first { $0.order == other.order })
            #expect(try await list.replay(list.items(.ids([one.id])), at: fixture.now) == 1)
            #expect(try await list.replay(list.items(.ids([one.id])), at: fixture.now) == 0)
            try await fixture.deliver()
            #expect(shop.requests.map(\.order) == [other.order.description])
            fixture.wait(.seconds(1))
            #expect(try await list.replayParked(at: fixture.now) == 2)
            try await fixture.deliver()
            #expect(shop.requests.dropFirst().map(\.type) == ["order.declined", "order.paid"])
            #expect(try await fixture.count("state = 'delivered'") == 3)
        }
    }

    @Test("Parking some of an order makes the next one due")
    func partlyParked() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.tell([order.offer(1, try Shop.totals())] + fixture.declining(order))
            let first = fixture.now
            fixture.wait(.seconds(10))
            try await fixture.tell(fixture.paying(order))
            let name = WebhookName(merchant: order.merchant, endpoint: "erp")
            #expect(try await fixture.store.park(name, upTo: first, because: "test", at: fixture.now) == 1)
            try await fixture.deliver()
            #expect(shop.requests.map(\.type) == ["order.paid"])
        }
    }

    @Test("Messages are deleted 30 days after their end, those that wait never")
    func pruned() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            for seed in 1...3 { try await fixture.pay(fixture.order(seed)) }
            try await fixture.deliver()
            fixture.wait(.seconds(30 * 86_400))
            try await fixture.pay(fixture.order(4))
            try await fixture.sweep().check(at: fixture.now)
            #expect(try await fixture.count() == 4)
            try await fixture.sweep().check(at: fixture.now + .seconds(1))
            #expect(try await fixture.count() == 1)
            #expect(try await fixture.count("state = 'waiting'") == 1)
        }
    }

    @Test("The fold waits for a delivery that ends an order's message, so that the next one is never forgotten")
    func races() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let orders = try (1...40).map { try fixture.order($0) }
            for order in orders {
                try await fixture.tell([order.offer(1, try Shop.totals())] + fixture.declining(order))
            }
            let worker = fixture.worker()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 1...40 { await worker.deliverDue() } }
                for order in orders { try await fixture.tell(fixture.paying(order)) }
                try await group.waitForAll()
            }
            try await fixture.deliver()
            #expect(try await fixture.count("state = 'delivered'") == 80)
            for order in orders {
                let types = shop.requests.filter { $0.order == order.order.description }.map(\.type)
                #expect(types == ["order.declined", "order.paid"])
            }
        }
    }

    @Test("A fold and a parking that touch the same orders do not wait for each other")
    func parkingMeanwhile() async throws {
        try await WebhookFixture.with { fixture in
            try fixture.configure([("erp", "https://erp.tea.example/")])
            let orders = try (1...2).map { try fixture.order($0) }
            for order in orders { try await fixture.tell([order.offer(1, try Shop.totals())]) }
            // The first order gets a fact of which no shop is told, the second one of which it is.
            let facts = try fixture.paying(orders[0]).prefix(1) + fixture.paying(orders[1], Shop.paymentID(2))
            let (parking, isHeld) = (try await PostgresConnection.connect(fixture.ledger.service), Locked(false))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await parking.transaction { parking in
                        _ = try await parking.pipeline([WebhookStore.lockingOrder(Shop.partition, orders[0].order)])
                        isHeld.withLock { $0 = true }
                        try await eventually {
                            try await !fixture.ledger.owner.query(
                                """
                                SELECT 1 FROM pg_stat_activity
                                WHERE datname = current_database() AND wait_event_type = 'Lock'
                                """
                            ).isEmpty
                        }
                        // The fold waits for the first order and does not hold the second one meanwhile.
                        try await parking.execute(
                            "SELECT 1 FROM ledger.orders WHERE partition = $1 AND order_id = $2 FOR UPDATE NOWAIT",
                            [Shop.partition, orders[1].order])
                    }
                }
                try await eventually { isHeld.withLock { $0 } }
                try await fixture.tell(Array(facts))
                try await group.waitForAll()
            }
            await parking.close()
            #expect(try await fixture.count("event = 'order.paid'") == 1)
        }
    }
}
