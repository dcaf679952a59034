import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("Waiting for a payment", .timeLimit(.minutes(10)))
struct LongPollTests {
    private static func target(_ order: TestShop.Opened, _ wait: Int) -> String {
        "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))?wait=\(wait)"
    }

    @Test("A payment without any fact is processing, never 404 or failed, and distinct from one that has a fact")
    func unknown() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let response = try await shop.send(.get, Self.target(order, 0), bearer: order.ticket)
            #expect(response.status == .ok)
            #expect(try response.json["status"]?.string == "processing")
            #expect(try response.json["final"]?.bool == false)
            #expect(try response.json["known"]?.bool == false)
            let key = try await shop.send(.get, Self.target(order, 0))
            #expect(key.body == response.body)
            try await shop.journal(order, order.history.payment(amount: try Shop.totals().amount, .accepted))
            let known = try await shop.send(.get, Self.target(order, 0), bearer: order.ticket).json
            #expect(known["status"]?.string == "processing" && known["known"]?.bool == true)
        }
    }

    @Test("The message is in the order's language, else in the device's")
    func language() async throws {
        try await TestShop.with { shop in
            var request = Shop.request
            let english = try await shop.open(request)
            request.language = .chinese
            let chinese = try await shop.open(request)
            for (order, accepted, language) in [
                (english, "fr", SheetLanguage.english), (english, "zh-CN", .chinese), (chinese, "en", .chinese),
            ] {
                let answer = try await shop.send(
                    .get, Self.target(order, 0), bearer: order.ticket, fields: ["Accept-Language": accepted])
                #expect(try answer.json["message"]?.string == language.texts.confirming)
            }
        }
    }

    @Test("A poll that waits is woken by the fold, through the database")
    func woken() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            async let response = shop.send(.get, Self.target(order, 25), bearer: order.ticket)
            try await shop.untilPollWaits()
            let amount = try Shop.totals().amount
            try await shop.journal(order, order.history.payment(amount: amount, .accepted))
            let rest = order.history.payment(amount: amount, .accepted, .succeeded).suffix(1)
            try await shop.ledger.fold(Array(rest), from: 2, partition: order.partition)
            #expect(try await response.json["status"]?.string == "paid")
            #expect(shop.ledger.metrics.longPolls.value == 0)
        }
    }

    /// What publishes the changes of a fold.
    enum Teller: CaseIterable, Sendable { case thisInstance, nobody }

    @Test(
        "A poll is woken at once by a fold of its own instance, and reads again by itself if no wake-up comes",
        arguments: Teller.allCases)
    func wokenWithoutTheDatabase(by teller: Teller) async throws {
        try await TestShop.with(longestSilence: teller == .nobody ? .milliseconds(50) : .seconds(3_600)) { shop in
            let order = try await shop.open()
            try await shop.journal(order)
            async let response = shop.send(.get, Self.target(order, 25), bearer: order.ticket)
            try await shop.untilPollWaits()
            let published = Locked(0)
            let projection = shop.ledger.projection { orders in
                published.withLock { $0 += orders.count }
                if teller == .thisInstance { shop.statusChanges.publish(orders) }
            }
            let facts = order.history.payment(amount: try Shop.totals().amount, .accepted, .succeeded)
            try await projection.apply(
                facts.records(from: 1, partition: order.partition), of: order.partition, from: 1)
            #expect(try await response.json["status"]?.string == "paid")
            #expect(published.withLock { $0 } == 1)
        }
    }

    @Test("Another payment's outcome is never this one's")
    func otherPayment() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let amount = try Shop.totals().amount
            try await shop.journal(
                order, order.history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded))
            let response = try await shop.send(.get, Self.target(order, 1), bearer: order.ticket)
            #expect(try response.json["status"]?.string == "processing")
        }
    }

    // Failure scenario 55.
    @Test("Of two tokens for one order the second one's device reads refused, whatever became of the first")
    func secondToken() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let amount = try Shop.totals().amount
            let first = order.history.payment(Shop.paymentID(2), amount: amount, .accepted, .succeeded)
            let second = order.history.payment(Shop.paymentID(1), amount: amount, .refused)
            // Both have their 202; the second is refused while the first is charged.
            try await shop.journal(order, Array(first.prefix(1)) + second)
            func status(_ target: String) async throws -> String? {
                try await shop.send(.get, target, bearer: order.ticket).json["status"]?.string
            }
            let other = "/v1/orders/\(order.id)/payments/\(Shop.paymentID(2))?wait=0"
            #expect(try await status(Self.target(order, 0)) == "refused")
            #expect(try await status(other) == "processing")
            try await shop.ledger.fold(Array(first.suffix(1)), from: 3, partition: order.partition)
            #expect(try await status(other) == "paid")
            #expect(try await status(Self.target(order, 0)) == "refused")
        }
    }

    @Test("A ticket past its expiry still reads the status, for a day")
    func expired() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            shop.wait(.seconds(600 + 24 * 3_600 - 1))
            #expect(try await shop.send(.get, Self.target(order, 0), bearer: order.ticket).status == .ok)
            shop.wait(.seconds(2))
            #expect(try await shop.send(.get, Self.target(order, 0), bearer: order.ticket).status == .unauthorized)
        }
    }

    @Test("An invalid wait in the query is refused", arguments: ["26", "-1", "x", ""])
    func badWait(_ wait: String) async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let response = try await shop.send(
                .get, "/v1/orders/\(order.id)/payments/\(Shop.paymentID(1))?wait=\(wait)", bearer: order.ticket)
            #expect(response.status == .badRequest)
        }
    }

    @Test("A shutdown answers the polls that wait")
    func shutdown() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            let shutdown = GracefulShutdown()
            try await GracefulShutdown.$current.withValue(shutdown) {
                async let response = shop.send(.get, Self.target(order, 25), bearer: order.ticket)
                try await shop.untilPollWaits()
                shutdown.begin()
                let status = try await response.json["status"]?.string
                #expect(status == "processing")
            }
        }
    }
}
