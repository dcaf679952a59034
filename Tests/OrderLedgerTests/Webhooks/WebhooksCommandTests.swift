import Contracts
import KeyFiles
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger webhooks", .timeLimit(.minutes(4)))
struct WebhooksCommandTests {
    /// Runs a command of the program on the fixture's database.
    private static func run(_ fixture: WebhookFixture, _ arguments: String...) async throws -> (Int32, String) {
        let process = try TestProcess(
            "order-ledger", ["webhooks"] + arguments, ["POSTGRES_URL": fixture.ledger.service.connectionString])
        return (try await process.status(), process.log)
    }

    @Test("lists what waits and what is parked, with the reason, and sends parked messages again")
    func commands() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            shop.answer { _ in "500 Internal Server Error" }
            try fixture.configure([("erp", shop.url)])
            var (status, output) = try await Self.run(fixture, "list")
            #expect(status == 0 && output.contains("none"), "\(output)")
            let (order, other) = (try fixture.order(1), try fixture.order(2))
            try await fixture.pay(order)
            try await fixture.deliver()
            let name = WebhookName(merchant: order.merchant, endpoint: "erp")
            #expect(try await fixture.store.park(name, upTo: fixture.now, because: "no answer", at: .now) == 1)
            try await fixture.pay(other)
            let id = try #require(try await fixture.messages(order).first?.id)

            (status, output) = try await Self.run(fixture, "list")
            #expect(status == 0)
            let lines = output.split(separator: "\n")
            #expect(lines.count == 2, "\(output)")
            #expect(lines.first?.hasPrefix("waiting  order.paid  ") == true)
            #expect(lines.first?.contains("order \(other.order)  endpoint erp of \(order.merchant)  next ") == true)
            #expect(lines.last?.hasPrefix("parked  order.paid  \(id)  order \(order.order)  ") == true)
            #expect(lines.last?.hasSuffix("1 failures  no answer") == true)
            (status, output) = try await Self.run(fixture, "list", "--parked")
            #expect(output.split(separator: "\n").count == 1 && output.hasPrefix("parked"), "\(output)")

            (status, output) = try await Self.run(fixture, "replay")
            #expect(status == 2, "\(output)")
            (status, output) = try await Self.run(fixture, "replay", "--all", id.description)
            #expect(status == 2, "\(output)")
            (status, output) = try await Self.run(fixture, "replay", "x")
            #expect(status == 2 && output.contains("32 lower-case hex digits"), "\(output)")
            (status, output) = try await Self.run(fixture, "replay", id.description)
            #expect(status == 0 && output.contains("1 message is sent again"), "\(output)")
            (status, output) = try await Self.run(fixture, "replay", id.description)
            #expect(status == 1 && output.contains("0 messages"), "\(output)")
            (status, output) = try await Self.run(fixture, "replay", "--all")
            #expect(status == 1, "\(output)")
        }
    }

    @Test("shows all that a shop was told of an order, and tells it again")
    func order() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            // The API has lost the order with a database; the books have it.
            let order = try fixture.order(1)
            try await fixture.tell(
                [order.offer(1, try Shop.totals())] + fixture.declining(order) + fixture.paying(order))
            try await fixture.deliver()
            var (status, output) = try await Self.run(fixture, "list", "--order", order.order.description)
            #expect(status == 0)
            #expect(
                output.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
                    == ["delivered order.declined", "delivered order.paid"], "\(output)")
            (status, output) = try await Self.run(fixture, "list", "--order", Shop.order.description)
            #expect(output.contains("told nothing"), "\(output)")
            (status, output) = try await Self.run(fixture, "replay", "--order", order.order.description)
            #expect(status == 0 && output.contains("2 messages are sent again"), "\(output)")
            try await fixture.deliver()
            #expect(shop.requests.map(\.type) == ["order.declined", "order.paid", "order.declined", "order.paid"])
            #expect(Set(shop.requests.map(\.id)).count == 2)
        }
    }
}
