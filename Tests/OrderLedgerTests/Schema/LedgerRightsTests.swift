import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Rights of the ledger's role")
struct LedgerRightsTests {
    @Test(
        "The role may run only the service's own statements",
        arguments: [
            (
                "orders",
                [
                    "merchant_id = gen_random_uuid()", "currency = 'JPY'", "partitions = 1",
                    "order_id = gen_random_uuid()",
                ]
            ),
            (
                "payments",
                [
                    "amount = 1", "currency = 'JPY'", "revision = 1", "payment_id = gen_random_uuid()",
                    "order_id = gen_random_uuid()",
                ]
            ),
            (
                "follow_ups",
                [
                    "amount = 1", "kind = 'refund'", "given_tax = 1", "payment_id = gen_random_uuid()",
                    "command_id = gen_random_uuid()", "order_id = gen_random_uuid()",
                ]
            ),
            ("chain_heads", ["partition = 0"]), ("order_offers", ["total = 1", "revision = 2"]),
            ("refused_commands", ["reason = ''"]), ("parked_facts", [#""offset" = 0"#]),
            ("facts", ["record = ''", "value = ''", "hash = ''"]), ("entries", ["amount = 1"]),
            ("faults", ["subject = 'stranger'"]),
            ("settlement_facts", ["kind = 'row'", "account = ''", #""offset" = 0"#]),
            ("settlement_days", ["account = ''", "settlement_date = ''"]),
            (
                "offered_orders",
                ["request = ''", "request_digest = ''", "merchant_id = gen_random_uuid()", "partitions = 1"]
            ),
            ("offers", ["total = 1"]), ("idempotency_keys", ["order_id = gen_random_uuid()"]),
            ("commands", ["api_key = ''", "reason = ''", "amount = 1", "request = ''"]),
            ("final_offers", ["request = ''", "request_digest = ''", "revision = 1"]),
            ("fulfilments", ["status = 'served'"]),
            ("contacts", ["received_at = now()", "payment_id = gen_random_uuid()"]),
            ("contact_erasures", ["order_id = gen_random_uuid()"]), ("contact_places", ["partition = 0"]),
            (
                "webhook_messages",
                ["body = ''", "message_id = gen_random_uuid()", "event = ''", "merchant_id = gen_random_uuid()"]
            ),
            ("webhook_endpoints", ["endpoint = ''"]), ("webhook_starts", ["partition = 0"]),
            ("attempts", ["reason = ''"]), ("attempt_places", ["partition = 0"]), ("inbox_watermarks", ["topic = ''"]),
            ("inbox_losses", ["end_offset = 9"]), ("inbox_recoveries", ["mark = 0"]), ("outbox", ["value = ''"]),
            ("outbox_batches", ["first_sequence = 1"]), ("outbox_streams", ["last_sequence = 9"]),
            ("schema_migrations", ["number = 9"]),
        ])
    func refused(_ table: String, _ changes: [String]) async throws {
        try await TestLedger.with { ledger in
            var statements = changes.map { "UPDATE ledger.\(table) SET \($0)" }
            statements += ["TRUNCATE ledger.\(table)", "ALTER TABLE ledger.\(table) DISABLE TRIGGER ALL"]
            // The service deletes a fact that no longer waits, contacts, and webhooks that ended long ago.
            if !["parked_facts", "contacts", "webhook_messages"].contains(table) {
                statements.append("DELETE FROM ledger.\(table)")
            }
            for sql in statements {
                let error = await #expect(throws: PostgresError.self, "\(sql)") {
                    try await ledger.owner.transaction { connection in
                        try await connection.execute("SET LOCAL ROLE \(LedgerSchema.serviceRole)")
                        try await connection.execute(sql)
                    }
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }

    @Test("Every table is in the list above and has a comment, and the role owns no object")
    func complete() async throws {
        try await TestLedger.with { ledger in
            let tables = try await ledger.owner.query(
                """
                SELECT relname::text AS name, obj_description(oid, 'pg_class') AS comment FROM pg_class
                WHERE relnamespace = 'ledger'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname
                """)
            #expect(tables.count == 35, "a new table needs a row in the list above")
            for table in tables {
                let name = try table.string("name")
                #expect(try table.optionalString("comment") != nil, "\(name) has no comment")
            }
            let error = await #expect(throws: PostgresError.self) {
                _ = try await ledger.database.withConnection {
                    try await $0.execute("CREATE VIEW ledger.v AS SELECT 1")
                }
            }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test("Every function of the schema has its own search path")
    func searchPaths() async throws {
        try await TestLedger.with { ledger in
            let rows = try await ledger.owner.query(
                """
                SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace
                    AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
                """)
            #expect(try rows.map { try $0.string("name") } == [])
        }
    }
}
