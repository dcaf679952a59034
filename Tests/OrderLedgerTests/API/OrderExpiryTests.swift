import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("An order whose time is over")
struct OrderExpiryTests {
    private static let end = Timestamp(seconds: 1_700_000_000 + 600)

    private static func open(_ shop: TestShop, end: Timestamp? = end) async throws -> TestShop.Opened {
        var request = Shop.request
        request.expiresAt = end
        return try await shop.open(request)
    }

    private static func expiry(_ shop: TestShop) -> OrderExpiry {
        OrderExpiry(
            database: shop.ledger.database, offers: OfferStore(outbox: LedgerSchema.outbox), keys: shop.tickets.keys,
            metrics: shop.ledger.metrics, logger: Logger(label: "test"))
    }

    private static func commands(_ shop: TestShop) async throws -> [CloseRequested] {
        try await shop.ledger.owner.query(
            "SELECT value FROM ledger.outbox WHERE topic = 'orchard.charges.v1' ORDER BY position"
        ).compactMap { row in
            let signed = try SignedCommand(parsing: row.bytes("value"))
            let claims = try CommandVerifier(keys: ["k1": shop.key.publicKey]).verify(signed)
            return if case .close(let command) = claims { command } else { nil }
        }
    }

    @Test("The gateway is asked once to close it, a minute after its end")
    func once() async throws {
        try await TestShop.with { shop in
            let (order, other) = (try await Self.open(shop), try await Self.open(shop, end: nil))
            let expiry = Self.expiry(shop)
            try await expiry.expire(at: Self.end + .seconds(59))
            #expect(try await Self.commands(shop).isEmpty)
            for _ in 1...2 { try await expiry.expire(at: Self.end + .seconds(60)) }
            let commands = try await Self.commands(shop)
            #expect(commands.map(\.order) == [order.id])
            #expect(commands.first?.reason == .expired)
            #expect(commands.first?.order != other.id)
        }
    }

    @Test(
        "A damaged row of another order holds up none; it is told, and closed when it is mended",
        arguments: [
            ("orders SET status = 'x'", "orders SET status = 'open'"),
            ("offered_orders SET partition = -1", "offered_orders SET partition = PARTITION"),
            ("offered_orders SET merchant_id = NULL", "offered_orders SET merchant_id = 'MERCHANT'"),
        ])
    func damaged(_ damage: String, _ mend: String) async throws {
        try await TestShop.with { shop in
            let (sick, sound) = (try await Self.open(shop), try await Self.open(shop))
            for order in [sick, sound] { try await shop.journal(order, []) }
            try await shop.ledger.owner.script(
                """
                ALTER TABLE ledger.orders DROP CONSTRAINT orders_status_check;
                ALTER TABLE ledger.offered_orders ALTER COLUMN merchant_id DROP NOT NULL;
                UPDATE ledger.\(damage) WHERE order_id = '\(sick.id)'
                """)
            let expiry = Self.expiry(shop)
            try await expiry.expire(at: Self.end + .seconds(61))
            #expect(try await Self.commands(shop).map(\.order) == [sound.id])
            let values = mend.replacing("PARTITION", with: "\(sick.partition)").replacing(
                "MERCHANT", with: "\(sick.history.merchant)")
            try await shop.ledger.owner.script("UPDATE ledger.\(values) WHERE order_id = '\(sick.id)'")
            try await expiry.expire(at: Self.end + .seconds(62))
            #expect(try await Self.commands(shop).count == 1, "not before its next try")
            try await expiry.expire(at: Self.end + .seconds(121))
            #expect(try await Self.commands(shop).map(\.order) == [sound.id, sick.id])
        }
    }

    @Test("Instances that sweep at the same time, and a restored database, ask with the same command")
    func sameCommand() async throws {
        try await TestShop.with { shop in
            let orders = [try await Self.open(shop), try await Self.open(shop), try await Self.open(shop)]
            let expiry = Self.expiry(shop)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 { group.addTask { try await expiry.expire(at: Self.end + .seconds(61)) } }
                try await group.waitForAll()
            }
            let commands = try await Self.commands(shop)
            #expect(Set(commands.map(\.order)) == Set(orders.map(\.id)))
            #expect(commands.count == 3)
            // As a backup from before would have it.
            try await shop.ledger.owner.script(
                "UPDATE ledger.offered_orders SET expiry_due = created_at; DELETE FROM ledger.commands;"
                    + "DELETE FROM ledger.outbox WHERE topic = 'orchard.charges.v1'")
            try await expiry.expire(at: Self.end + .seconds(90))
            #expect(try await Set(Self.commands(shop).map(\.command)) == Set(commands.map(\.command)))
        }
    }

    @Test("An order that has ended is not asked about, and one that expired issues no ticket and changes no price")
    func ended() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            let late = try await Self.open(shop)
            try await shop.journal(order, [order.history.closed(.cancelled)])
            try await Self.expiry(shop).expire(at: Self.end + .seconds(61))
            #expect(try await Self.commands(shop).map(\.order) == [late.id])
            shop.wait(.seconds(599))
            let ticket = try await shop.send(.post, "/v1/orders/\(late.id)/ticket", bearer: late.ticket)
            shop.wait(.seconds(1))
            for route in ["ticket", "ticket"] {
                let answer = try await shop.send(
                    .post, "/v1/orders/\(late.id)/\(route)", bearer: try #require(ticket.json["ticket"]?.string))
                #expect(answer.status == .conflict)
                #expect(try answer.json["code"]?.string == "order-expired")
            }
        }
    }

    @Test("The fact of its end gives it the status")
    func status() async throws {
        try await TestShop.with { shop in
            let order = try await Self.open(shop)
            try await shop.journal(
                order,
                [
                    .orderClosed(
                        OrderClosed(
                            order: order.id, merchant: order.history.merchant, reason: .expired,
                            command: CommandID(expiring: order.id)))
                ])
            let view = try await shop.send(.get, "/v1/orders/\(order.id)").json
            #expect(view["status"]?.string == "expired")
            #expect(view["expiresAt"]?.string == Self.end.description)
        }
    }
}
