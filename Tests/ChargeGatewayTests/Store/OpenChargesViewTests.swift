import Contracts
import OrchardPostgres
import Outbox
import Testing

@testable import ChargeGateway

@Suite("open_charges")
struct OpenChargesViewTests {
    @Test("shows charges without an end with decimal amounts and the acquirer's key, and no card data")
    func rows() async throws {
        try await TestGateway.with([ScriptedAcquirer([.hang])], hasTimers: false) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command), .charge(try gateway.shop.charge(Shop.order()))])
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET phase = 'declined' WHERE order_id <> $1", [order])
            let rows = try await gateway.owner.query("SELECT *, age >= '0 s' AS is_old FROM gateway.open_charges")
            let row = try #require(rows.first)
            #expect(rows.count == 1)
            #expect(try row.identifier("order_id") == order)
            #expect(try row.identifier("payment_id") == command.payment)
            #expect(try row.string("phase") == "created")
            #expect(try row.string("account") == Shop.account)
            #expect(try row.string("order_number") == command.payment.description)
            #expect(try row.bool("is_old"))
            let amounts = try await gateway.owner.query(
                """
                SELECT v.amount::text AS shown, (o.amount / 100)::text || '.' || right(o.amount::text, 2) AS stored
                FROM gateway.open_charges AS v JOIN gateway.operations AS o USING (partition, order_id, payment_id)
                """)
            #expect(try amounts[0].string("shown") == amounts[0].string("stored"))
            let columns = try await gateway.owner.query(
                """
                SELECT attname::text AS name FROM pg_attribute WHERE attrelid = 'gateway.open_charges'::regclass
                    AND attname IN ('sealed_card', 'sealing_key', 'ticket_hash')
                """)
            #expect(columns.isEmpty)
        }
    }
}
