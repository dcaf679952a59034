import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Webhooks in damaged rows")
struct DamagedWebhookTests {
    @Test("A message whose row is damaged waits for a person and is told of; the others are sent")
    func damaged() async throws {
        try await WebhookFixture.with { fixture in
            let shop = try WebhookReceiver()
            try fixture.configure([("erp", shop.url)])
            let orders = [try fixture.order(1), try fixture.order(2)]
            for order in orders { try await fixture.pay(order) }
            try await fixture.ledger.owner.execute(
                "UPDATE ledger.webhook_messages SET tried_from = 'infinity' WHERE order_id = $1", [orders[0].order])
            try await fixture.ledger.owner.execute("UPDATE ledger.webhook_messages SET lease = 9223372036854775807")
            try await fixture.deliver()
            #expect(shop.requests.map(\.order) == [orders[1].order.description])
            #expect(
                fixture.log.lines.filter { $0.level == .error }.map { $0.metadata["order_id"] } == [
                    orders[0].order.description
                ])
            try await fixture.sweep().check(at: fixture.now)
            try await fixture.ledger.owner.execute("UPDATE ledger.webhook_messages SET tried_from = now()")
            fixture.wait(WebhookRetry.lease + .seconds(1))
            try await fixture.deliver()
            #expect(shop.requests.map(\.order) == orders.reversed().map(\.order.description))
        }
    }
}
