import Contracts
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import Outbox
import Testing

@testable import OrderLedger

@Suite("The audit finds a price that was not published")
struct OfferCheckTests {
    private static func check(_ shop: TestShop) async throws -> AuditCheck {
        let connection = try await PostgresConnection.connect(shop.ledger.service)
        let check = try await OfferCheck(connections: LedgerConnections([connection])).check()
        await connection.close()
        return check
    }

    private static func choose(_ shop: TestShop, _ order: TestShop.Opened) async throws -> HTTPResponse {
        try await shop.send(
            .post, "/v1/orders/\(order.id)/shipping-method", bearer: order.ticket,
            body: Array(#"{"shippingMethod":"courier"}"#.utf8))
    }

    /// The request for a hundredth of its price, as an attacker would store it.
    private static let cheap = OfferRequest(
        currency: .cny, lines: [OfferLine(label: "Tea", unitAmount: 1_000)], discounts: Shop.request.discounts,
        shippingMethods: Shop.request.shippingMethods
    ).json

    @Test("Orders in the outbox, orders in the books and repriced orders have no findings")
    func whole() async throws {
        try await TestShop.with { shop in
            for _ in 0..<3 { _ = try await shop.open() }
            let order = try await shop.open()
            try await shop.journal(order)
            #expect(try await Self.choose(shop, order).status == .ok)
            let check = try await Self.check(shop)
            #expect(check.outcome == .passed, "\(check.findings)")
            #expect(check.counts.hasPrefix("4 orders, 5 revisions, "))
        }
    }

    @Test(
        "The service's role can change only the revision in force, not a request, an order's owner or a past revision"
    )
    func role() async throws {
        try await TestShop.with { shop in
            _ = try await shop.open()
            for change in [
                "UPDATE ledger.offered_orders SET request = ''", "UPDATE ledger.offered_orders SET request_digest = ''",
                "UPDATE ledger.offered_orders SET merchant_id = gen_random_uuid()",
                "UPDATE ledger.offered_orders SET partitions = 1",
                "UPDATE ledger.offers SET total = 1", "DELETE FROM ledger.offers", "DELETE FROM ledger.offered_orders",
                "UPDATE ledger.idempotency_keys SET partitions = 1", "DELETE FROM ledger.idempotency_keys",
                "UPDATE ledger.commands SET type = ''", "DELETE FROM ledger.commands",
                "TRUNCATE ledger.offered_orders", "TRUNCATE ledger.idempotency_keys",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(change)") {
                    try await shop.ledger.owner.transaction { connection in
                        try await connection.execute("SET LOCAL ROLE \(LedgerSchema.serviceRole)")
                        try await connection.execute(change)
                    }
                }
                #expect(error?.sqlState == "42501", "\(change)")
            }
        }
    }

    @Test(
        "An order that was opened here and is missing is found, with or without its offers; one that a lost database opened is not"
    )
    func deleted() async throws {
        try await TestShop.with { shop in
            _ = try await shop.open()
            let order = try await shop.open()
            try await shop.journal(order)
            let owner = shop.ledger.owner
            // The facts of the tests are older than their database.
            try await owner.execute("UPDATE ledger.schema_migrations SET applied_at = '2020-01-01'")
            for table in ["offered_orders", "offers"] {
                try await owner.execute("DELETE FROM ledger.\(table) WHERE order_id = $1", [order.id])
                let found = try await Self.check(shop).findings
                #expect(found.map(\.position?.partition) == [order.partition])
                #expect(found.allSatisfy { $0.text.contains("\(order.id): it was opened here") })
            }
            try await owner.execute("UPDATE ledger.inbox_watermarks SET mark = next_offset")
            #expect(try await Self.check(shop).outcome == .passed)
        }
    }

    @Test("An order with another reference than its request's is found, and one that nothing closes at its end")
    func columns() async throws {
        try await TestShop.with { shop in
            var request = Shop.request
            (request.reference, request.expiresAt) = ("A-1", Timestamp(seconds: 1_700_003_600))
            let order = try await shop.open(request)
            try await shop.journal(order)
            #expect(try await Self.check(shop).outcome == .passed)
            for change in [
                "reference = 'A-2'", "reference = NULL", "expiry_due = NULL", "expiry_due = 'infinity'",
                "expiry_due = '2999-01-01'",
            ] {
                try await shop.ledger.owner.execute("UPDATE ledger.offered_orders SET \(change)")
                let found = try await Self.check(shop).findings
                #expect(found.count == 1 && found[0].text.contains("\(order.id)"), "\(change): \(found)")
                try await shop.ledger.owner.execute(
                    "UPDATE ledger.offered_orders SET reference = 'A-1', expiry_due = $1",
                    [Timestamp(seconds: 1_700_003_660).postgres])
            }
            // The gateway was asked to close it.
            let expiry = OrderExpiry(
                database: shop.ledger.database, offers: OfferStore(outbox: LedgerSchema.outbox),
                keys: shop.tickets.keys, metrics: shop.ledger.metrics, logger: Logger(label: "test"))
            try await expiry.expire(at: Timestamp(seconds: 1_700_004_000))
            #expect(try await Self.check(shop).outcome == .passed)
        }
    }

    @Test("A request that does not match its digest is not priced again: the API answers an error and sells nothing")
    func repricing() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.journal(order)
            try await shop.ledger.owner.execute("UPDATE ledger.offered_orders SET request = $1", [Self.cheap])
            await #expect(throws: StoreError.self) { _ = try await Self.choose(shop, order) }
            #expect(try await shop.ledger.owner.query("SELECT 1 FROM ledger.offers").count == 1)
            #expect(try await Self.check(shop).outcome == .failed)
        }
    }

    @Test("A request that was changed with its digest, and then repriced, is found: published prices differ")
    func changedWithDigest() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.journal(order)
            try await shop.ledger.owner.execute(
                "UPDATE ledger.offered_orders SET request = $1, request_digest = $2",
                [Self.cheap, SHA256.hash(Self.cheap)])
            #expect(try await Self.choose(shop, order).status == .ok)
            let check = try await Self.check(shop)
            #expect(check.outcome == .failed)
            #expect(check.findings.contains { $0.text.contains("\(order.id)") && $0.position != nil })
        }
    }

    @Test("The service's role cannot sell for 0.01: a cheap revision that it adds itself is found, published or not")
    func addedByTheRole() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.journal(order)
            try await shop.ledger.owner.transaction { connection in
                try await connection.execute("SET LOCAL ROLE \(LedgerSchema.serviceRole)")
                try await connection.execute(
                    """
                    INSERT INTO ledger.offers (partition, order_id, revision, shipping_method, total, created_at)
                    SELECT partition, order_id, 2, shipping_method, 1, created_at FROM ledger.offers
                    """)
                try await connection.execute("UPDATE ledger.offered_orders SET revision = 2")
            }
            #expect(
                try await Self.check(shop).findings.map(\.text) == [
                    "P\(order.partition) order \(order.id): revision 2 is stored with a total of 0.01 CNY, its request gives "
                        + "109.00 CNY",
                    "P\(order.partition) order \(order.id): revision 2 was offered for 109.00 CNY, but never published",
                ])
            let totals = try Shop.totals(subtotal: 1, discount: 0, shipping: 0, tax: 0)
            try await shop.journal(order, [order.history.offer(2, totals)])
            let findings = try await Self.check(shop).findings.map(\.text)
            #expect(
                findings.contains { $0.contains("revision 2 was published as 0.01 CNY, its request gives 109.00 CNY") })
        }
    }

    @Test("An opening whose fact was removed from the outbox is found")
    func neverPublished() async throws {
        try await TestShop.with { shop in
            let order = try await shop.open()
            try await shop.ledger.owner.execute("DELETE FROM ledger.outbox")
            let check = try await Self.check(shop)
            #expect(
                check.findings.map(\.text) == [
                    "P\(order.partition) order \(order.id): revision 1 was offered for 109.00 CNY, but never published"
                ])
        }
    }

    @Test("Every order is checked, however many pages they fill")
    func pages() async throws {
        try await TestShop.with { shop in
            var opened: Set<OrderID> = []
            for _ in 0..<20 { opened.insert(try await shop.open().id) }
            var found: [OrderID] = []
            for partition: Int32 in 0..<4 {
                var last: OrderID?
                repeat {
                    let page = try await OfferPage.read(partition, behind: last, limit: 2, on: shop.ledger.owner)
                    found += page.orders.map(\.order)
                    last = page.last
                } while last != nil
            }
            #expect(found.count == 20 && Set(found) == opened)
        }
    }
}
