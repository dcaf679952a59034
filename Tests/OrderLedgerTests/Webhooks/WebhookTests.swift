import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Webhooks", .timeLimit(.minutes(4)))
struct WebhookTests {
    @Test("A message is sent once, signed, under the id of its fact")
    func once() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.pay(order)
            try await fixture.deliver()
            await fixture.worker().deliverDue()
            let request = try #require(shop.requests.first)
            #expect(shop.requests.count == 1)
            #expect(request.id == (try fixture.paying(order))[1].id.description)
            #expect(request.isSigned(by: WebhookFixture.secret))
            #expect(request.fields["webhook-timestamp"] == String(fixture.now.seconds))
            #expect(request.fields["content-type"] == "application/json")
            #expect(request.type == "order.paid" && request.order == order.order.description)
            #expect(try await fixture.messages(order).map(\.state) == ["delivered"])
            #expect(fixture.ledger.metrics.webhooks(.delivered).value == 1)
        }
    }

    @Test("The shop's own number of the order is in the message")
    func reference() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.ledger.owner.execute(
                """
                INSERT INTO ledger.offered_orders (partition, order_id, merchant_id, partitions, request, request_digest,
                    revision, created_at, reference) VALUES ($1, $2, $3, 4, '', '', 1, now(), 'A-1')
                """, [Shop.partition, order.order, order.merchant])
            try await fixture.pay(order)
            try await fixture.deliver()
            #expect(shop.requests.first?.json["data"]?["reference"]?.string == "A-1")
        }
    }

    @Test("An endpoint is told its events only, and each endpoint is told")
    func events() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url), ("till", shop.url)], events: [.orderPaid])
            let order = try fixture.order(1)
            try await fixture.tell([order.offer(1, try Shop.totals())] + fixture.declining(order))
            try await fixture.tell(fixture.paying(order))
            try await fixture.deliver()
            #expect(shop.requests.map(\.type) == ["order.paid", "order.paid"])
            #expect(Set(shop.requests.map(\.id)).count == 1)
        }
    }

    @Test("A later message of an order waits until the earlier one was taken; other orders do not wait")
    func orderOfAnOrder() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { $0.type == "order.declined" ? "500 Internal Server Error" : "204 No Content" }
            try fixture.configure([("erp", shop.url)])
            let (order, other) = (try fixture.order(1), try fixture.order(2))
            try await fixture.tell([order.offer(1, try Shop.totals())] + fixture.declining(order))
            try await fixture.deliver()
            // The next message is stored while the first waits for its second try.
            try await fixture.tell(fixture.paying(order))
            try await fixture.pay(other)
            fixture.wait(.seconds(5))
            for _ in 1...3 {
                try await fixture.deliver()
                fixture.wait(.seconds(60))
            }
            #expect(shop.requests.filter { $0.order == other.order.description }.map(\.type) == ["order.paid"])
            #expect(Set(shop.requests.filter { $0.order == order.order.description }.map(\.type)) == ["order.declined"])
            shop.answer { _ in "200 OK" }
            fixture.wait(.seconds(900))
            try await fixture.deliver()
            let types = shop.requests.filter { $0.order == order.order.description }.map(\.type)
            #expect(Array(types.suffix(2)) == ["order.declined", "order.paid"])
            #expect(types.count { $0 == "order.paid" } == 1)
        }
    }

    @Test("Two messages of one batch go in their order")
    func batch() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order) + fixture.paying(order))
            await fixture.worker().deliverDue()
            #expect(shop.requests.map(\.type) == ["order.declined"])
            try await fixture.deliver()
            #expect(shop.requests.map(\.type) == ["order.declined", "order.paid"])
        }
    }

    @Test("A server that fails gets one message at a time with growing pauses; others get theirs meanwhile")
    func failing() async throws {
        try await WebhookFixture.with { fixture in
            let (bad, good) = (try WebhookReceiver(), try WebhookReceiver())
            bad.answer { _ in "503 Service Unavailable" }
            try fixture.configure([("bad", bad.url), ("good", good.url)])
            for seed in 1...20 { try await fixture.pay(fixture.order(seed)) }
            // Those that were on their way when it began to fail are one failure.
            try await fixture.deliver(until: { good.requests.count == 20 })
            let before = bad.requests.count
            #expect(before <= fixture.worker().maximum.endpoint)
            var counts: [Int] = []
            for pause in [5, 10, 20, 40] {
                fixture.wait(.seconds(pause) - .milliseconds(100))
                await fixture.worker().deliverDue()
                counts.append(bad.requests.count)
                fixture.wait(.milliseconds(100))
                for _ in 1...3 { await fixture.worker().deliverDue() }
                counts.append(bad.requests.count)
            }
            #expect(counts.map { $0 - before } == [0, 1, 1, 2, 2, 3, 3, 4])
            #expect(good.requests.count == 20)
            #expect(fixture.log.lines.filter { $0.message.contains("takes no webhooks") }.count == 1)
            bad.answer { _ in "200 OK" }
            fixture.wait(.seconds(900))
            try await fixture.deliver()
            #expect(try await fixture.count("state = 'delivered'") == 40)
            #expect(fixture.log.lines.filter { $0.message.contains("takes webhooks again") }.count == 1)
        }
    }

    @Test("Workers share the work: each message is sent once")
    func workers() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            for seed in 1...40 { try await fixture.pay(fixture.order(seed)) }
            let workers = [fixture.worker(), fixture.worker(), fixture.worker()]
            try await eventually {
                await withDiscardingTaskGroup { group in
                    for worker in workers { group.addTask { await worker.deliverDue() } }
                }
                return try await fixture.count("state = 'waiting'") == 0
            }
            #expect(shop.requests.count == 40)
            #expect(Set(shop.requests.map(\.id)).count == 40)
        }
    }

    @Test(
        "A worker sends no more at once than it may, to all endpoints together, and those that have the fewest go first"
    )
    func room() async throws {
        try await WebhookFixture.with { fixture in
            let shops = [try WebhookReceiver(), try WebhookReceiver(), try WebhookReceiver()]
            try fixture.configure([("a", shops[0].url), ("b", shops[1].url), ("c", shops[2].url)])
            for seed in 1...4 { try await fixture.pay(fixture.order(seed)) }
            var worker = fixture.worker()
            worker.maximum = (all: 5, endpoint: 2)
            #expect(await worker.deliverDue() == 5)
            let merchant = try fixture.merchantID
            func name(_ endpoint: String) -> WebhookName { WebhookName(merchant: merchant, endpoint: endpoint) }
            let taken = try await fixture.store.take(
                [name("a"): 1, name("b"): 2, name("c"): 2], upTo: 3, at: fixture.now)
            #expect(taken.count == 3)
            #expect(taken.count { $0.name.endpoint == "a" } == 0)
        }
    }

    @Test("A message that a worker has is nobody else's for a minute; if the worker died, it is sent by another one")
    func leased() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.pay(order)
            let slots = [WebhookName(merchant: order.merchant, endpoint: "erp"): 8]
            let died = try await fixture.store.take(slots, upTo: 64, at: fixture.now)
            #expect(died.count == 1)
            fixture.wait(.milliseconds(59_900))
            #expect(try await fixture.store.take(slots, upTo: 64, at: fixture.now).isEmpty)
            await fixture.worker().deliverDue()
            #expect(shop.requests.isEmpty)
            fixture.wait(.milliseconds(100))
            try await fixture.deliver()
            #expect(shop.requests.count == 1)
            // The worker was only frozen: it can end the message no more.
            let message = try #require(died.first)
            try await fixture.store.finish(message, .parked, reason: "woken", at: fixture.now)
            #expect(try await fixture.messages(order).map(\.state) == ["delivered"])
        }
    }

    @Test("A worker that dies with the one message of a failing server frees it too")
    func leasedProbe() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { _ in "500 Internal Server Error" }
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.pay(order)
            try await fixture.deliver()
            fixture.wait(.seconds(5))
            let slots = [WebhookName(merchant: order.merchant, endpoint: "erp"): 8]
            #expect(try await fixture.store.take(slots, upTo: 64, at: fixture.now).map(\.isProbe) == [true])
            #expect(try await fixture.store.take(slots, upTo: 64, at: fixture.now + .seconds(59)).isEmpty)
            #expect(
                try await fixture.store.take(slots, upTo: 64, at: fixture.now + .seconds(60)).map(\.isProbe) == [true])
        }
    }

    @Test("After 3 days of tries a message is parked, and the next one of its order goes on")
    func parked() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { $0.type == "order.declined" ? "400 Bad Request" : "200 OK" }
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order) + fixture.paying(order))
            let end = fixture.now + WebhookRetry.life
            while fixture.now < end {
                try await fixture.deliver()
                #expect(try await fixture.messages(order).map(\.state) == ["waiting", "waiting"])
                fixture.wait(.seconds(21_600))
            }
            try await fixture.deliver()
            let messages = try await fixture.messages(order)
            #expect(messages.map(\.state) == ["parked", "waiting"])
            #expect(messages[0].reason == "answered 400")
            #expect(fixture.ledger.metrics.webhooks(.parked).value == 1)
            #expect(fixture.log.lines.contains { $0.level == .error && $0.message.contains("is parked") })
            fixture.wait(.seconds(900))
            try await fixture.deliver()
            #expect(try await fixture.messages(order).map(\.state) == ["parked", "delivered"])
        }
    }

    @Test("A redirect is not followed, an endless answer is not read, no answer is waited for 15 seconds only")
    func misbehaving() async throws {
        try await WebhookFixture.with { fixture in
            let (shop, other) = (try WebhookReceiver(), try WebhookReceiver())
            shop.answer { [url = other.url] _ in "307 Temporary Redirect\r\nLocation: \(url)" }
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.pay(order)
            try await fixture.deliver()
            #expect(other.requests.isEmpty)
            #expect(try await fixture.messages(order).first?.reason == "answered 307: redirects are not followed")
            shop.answer { _ in "200 OK\r\nX-Long: \(String(repeating: "x", count: 40_000))" }
            fixture.wait(.seconds(60))
            try await fixture.deliver()
            #expect(try await fixture.messages(order).first?.reason?.hasPrefix("answer-too-large") == true)
            shop.answer { _ in nil }
            fixture.wait(.seconds(900))
            let begun = ContinuousClock.now
            try await fixture.deliver()
            let took = ContinuousClock.now - begun
            #expect(took > .seconds(14) && took < .seconds(40), "\(took)")
            #expect(try await fixture.messages(order).first?.reason?.hasPrefix("timeout") == true)
        }
    }

    @Test("An address that resolves to this machine gets nothing, unless the endpoint may have a private one")
    func privateAddress() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", "http://localhost:\(shop.port)/")], allowPrivateAddress: false)
            let order = try fixture.order(1)
            try await fixture.pay(order)
            try await fixture.deliver()
            #expect(shop.requests.isEmpty)
            #expect(try await fixture.messages(order).first?.reason?.hasPrefix("address-refused") == true)
            try fixture.configure([("erp", "http://localhost:\(shop.port)/")], allowPrivateAddress: true)
            fixture.wait(.seconds(60))
            try await fixture.deliver()
            #expect(shop.requests.count == 1)
        }
    }

    @Test("During a rotation a message is signed with each secret")
    func rotation() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            let new = HMACKey(SecretBytes(copying: [UInt8](repeating: 6, count: 32)))
            let stranger = HMACKey(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
            for keys in [[WebhookFixture.secret], [new, WebhookFixture.secret], [new]] {
                try fixture.configure([("erp", shop.url)], keys: keys)
                try await fixture.pay(fixture.order(keys.count + shop.requests.count * 10))
                try await fixture.deliver()
            }
            let requests = shop.requests
            #expect(requests.map { $0.isSigned(by: WebhookFixture.secret) } == [true, true, false])
            #expect(requests.map { $0.isSigned(by: new) } == [false, true, true])
            #expect(!requests.contains { $0.isSigned(by: stranger) })
        }
    }

    @Test("A worker that is stopped while it sends counts no failure and gives the message back at once")
    func stopped() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { _ in nil }
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.pay(order)
            let (worker, shutdown) = (fixture.worker(), GracefulShutdown())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await worker.run() } }
                try await eventually { shop.requests.count == 1 }
                shutdown.begin()
                try await group.waitForAll()
            }
            let message = try #require(try await fixture.messages(order).first)
            #expect(message.state == "waiting" && message.failures == 0 && message.reason == nil)
            #expect(message.due.map { $0 <= fixture.now } == true)
            #expect(fixture.ledger.metrics.webhooks(.failed).value == 0)
            shop.answer { _ in "200 OK" }
            try await fixture.deliver()
            #expect(shop.requests.map(\.id) == [message.id.description, message.id.description])
        }
    }

    @Test("A worker that has been stopped sends nothing that it takes again")
    func takenAgain() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            for number in 1...20 { try await fixture.pay(fixture.order(number)) }
            let (worker, shutdown) = (fixture.worker(), GracefulShutdown())
            shutdown.begin()
            for _ in 0..<10 { await GracefulShutdown.$current.withValue(shutdown) { _ = await worker.deliverDue() } }
            #expect(shop.requests.isEmpty)
            #expect(try await fixture.count("state = 'waiting'") == 20)
        }
    }

    @Test("The running service sends by itself what the fold stores, and what waits for a pause")
    func running() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { _ in "500 Internal Server Error" }
            try fixture.configure([("erp", shop.url)])
            let (worker, shutdown) = (fixture.worker(), GracefulShutdown())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await worker.run() } }
                try await fixture.pay(fixture.order(1))
                try await eventually { try await fixture.count("failures = 1") == 1 }
                shop.answer { _ in "200 OK" }
                fixture.wait(.seconds(5))
                try await eventually { try await fixture.count("state = 'delivered'") == 1 }
                shutdown.begin()
                try await group.waitForAll()
            }
            #expect(shop.requests.count == 2)
        }
    }
}

extension WebhookFixture {
    /// Sends what is due until a condition holds, at one moment.
    fileprivate func deliver(until isDone: () -> Bool) async throws {
        let worker = worker()
        try await eventually {
            await worker.deliverDue()
            return isDone()
        }
    }
}
