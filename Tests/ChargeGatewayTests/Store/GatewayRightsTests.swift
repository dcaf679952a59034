import OrchardPostgres
import Testing

@testable import ChargeGateway

@Suite("What the gateway's role may do")
struct GatewayRightsTests {
    @Test(
        "No statement but the service's own",
        arguments: [
            (
                "operations",
                [
                    "amount = 1", "currency = 'JPY'", "merchant_id = gen_random_uuid()",
                    "payment_id = gen_random_uuid()", "order_id = gen_random_uuid()",
                    "partition = 0", "revision = 1", "number = 1", "route_id = 'x'", "route_digest = NULL",
                    "acquirer = ''", "account = ''", "order_number = ''", "transaction_time = now()",
                    "card_last_four = ''", "traceparent = ''", "kind = 'sale'",
                ]
            ),
            (
                "follow_ups",
                [
                    "amount = 1", "currency = 'JPY'", "merchant_id = gen_random_uuid()", "kind = 'capture'",
                    "payment_id = gen_random_uuid()", "order_id = gen_random_uuid()", "partition = 0", "number = 1",
                    "operation_id = gen_random_uuid()", "command_id = NULL", "caused_at = now()", "target = NULL",
                    "route_id = 'x'", "acquirer = ''", "account = ''", "original_number = ''", "original_time = now()",
                    "original_serial = ''", "parts = ''", "traceparent = ''",
                ]
            ),
            ("orders", ["order_id = gen_random_uuid()", "partition = 0"]),
            ("answered_commands", ["command_id = gen_random_uuid()"]),
            ("settlement_files", ["content = ''", "digest = ''", "net = 0", "settlement_date = ''"]),
            ("settlement_rows", ["amount = 1", "order_id = NULL"]), ("settlement_refusals", ["reason = ''"]),
            ("inbox_watermarks", ["topic = ''"]), ("inbox_losses", ["end_offset = 9"]),
            ("inbox_recoveries", ["mark = 0"]), ("outbox", ["value = ''"]), ("outbox_batches", ["first_sequence = 1"]),
            ("outbox_streams", ["last_sequence = 9"]), ("schema_migrations", ["number = 9"]),
        ])
    func refused(_ table: String, _ changes: [String]) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let statements =
                changes.map { "UPDATE gateway.\(table) SET \($0)" } + [
                    "DELETE FROM gateway.\(table)", "TRUNCATE gateway.\(table)",
                    "ALTER TABLE gateway.\(table) DISABLE TRIGGER ALL",
                ]
            for sql in statements {
                let error = await #expect(throws: PostgresError.self, "\(sql)") {
                    try await gateway.owner.transaction { connection in
                        try await connection.execute("SET LOCAL ROLE \(GatewaySchema.serviceRole)")
                        try await connection.execute(sql)
                    }
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }

    @Test("Every table is in the list above and has a comment, every function its own search path")
    func complete() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let tables = try await gateway.owner.query(
                """
                SELECT relname::text AS name, obj_description(oid, 'pg_class') AS comment FROM pg_class
                WHERE relnamespace = 'gateway'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname
                """)
            #expect(tables.count == 16, "a new table needs a row in the list above")
            for table in tables {
                let name = try table.string("name")
                #expect(try table.optionalString("comment") != nil, "\(name) has no comment")
            }
            let functions = try await gateway.owner.query(
                """
                SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'gateway'::regnamespace
                    AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
                """)
            #expect(try functions.map { try $0.string("name") } == [])
        }
    }
}
