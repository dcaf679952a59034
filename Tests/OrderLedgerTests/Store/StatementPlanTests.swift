import Contracts
import Ledger
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger
@testable import Outbox

@Suite("Every statement of the ledger", .timeLimit(.minutes(10)))
struct StatementPlanTests {
    /// The values that the sources interpolate, by their Swift expression.
    private static let values = [
        "schema": "ledger", "inbox.schema": "ledger", "outbox.schema": "ledger", "topic": Topic.journal.name,
        "lock": "FOR UPDATE", "DatabaseServer.columns(of: schema)": DatabaseServer.columns(of: "ledger"),
        "DatabaseServer.columns(of: inbox.schema)": DatabaseServer.columns(of: "ledger"),
        "columns(of: schema)": DatabaseServer.columns(of: "ledger"),
        "Self.lateness.components.seconds": "900",
        "ReadRecord.columns": ReadRecord.columns, "JournalRecord.columns": JournalRecord.columns,
        "Self.paymentColumns": OrderStore.paymentColumns,
        "Self.followUpColumns": OrderStore.followUpColumns,
        "Self.orderColumns": OrderStore.orderColumns, "Self.offerColumns": OrderStore.offerColumns,
        "Self.refusalColumns": OrderStore.refusalColumns,
        "Self.details": OrdersAPI.details,
        #"ReadRecord.joined(to: "p")"#: ReadRecord.joined(to: "p"),
        #"ReadRecord.joined(to: "s")"#: ReadRecord.joined(to: "s"),
        "Self.maximum": "1000", "Self.portion": "500", "ContactLife.firstCheck.components.seconds": "60",
        "Self.nextLease": WebhookStore.nextLease, "WebhookStore.nextLease": WebhookStore.nextLease,
        "table": "contact_places", "JournalTables.isTaken": JournalTables.isTaken,
        "Self.columns": WebhookList.columns, "Self.dayColumns": SettlementDays.dayColumns, "Self.limit": "1000",
        "columns": StoredCommand.columns, "StoredCommand.columns": StoredCommand.columns,
        "Self.choiceColumns": OfferStore.choiceColumns, "OfferStore.choiceColumns": OfferStore.choiceColumns,
    ]

    /// Sources that read everything on purpose: audit and replay, page by page, the balances that a person asks for, and a
    /// gauge four times a minute. Also code for any table, which the ledger does not use.
    private static let others =
        ["Accounts/", "Audit/", "Replay/", "Projection/ParkedFactMetrics.swift"].map {
            "Services/OrderLedger/App/" + $0
        } + ["Shared/Outbox/Rows/RowColumn.swift", "Shared/Outbox/Rows/Write.swift"]

    /// Tables with a few rows for each partition, or for each rare event of a database.
    private static let bounded: Set = [
        "schema_migrations", "inbox_watermarks", "inbox_losses", "inbox_recoveries", "outbox_streams", "outbox_batches",
        "chain_heads", "attempt_places", "contact_places", "webhook_endpoints", "webhook_starts",
    ]

    /// Rows that wait to be published come and go. PostgreSQL 18 joins a batch's events by this table. So do webhooks.
    private static let open: Set = [
        "outbox_waiting", "webhook_messages_due", "webhook_messages_waiting", "webhook_messages_order",
        "webhook_messages_parked", "webhook_messages_parked_id", "settlement_days_open",
    ]

    /// The functions of the schema, each with a call whose plan is checked.
    private static let calls = [
        "expect_rows": "SELECT ledger.expect_rows(1, 1)",
        "decimal_amount": "SELECT ledger.decimal_amount(4500, 'CNY')",
        "outbox_number": "SELECT ledger.outbox_number(1, 'orchard.journal.v1', 100)",
        "outbox_settle": "SELECT ledger.outbox_settle(0, 'orchard.journal.v1', 1, 5)",
        "outbox_recover":
            "SELECT ledger.outbox_recover(2, 'orchard.journal.v1', ARRAY(SELECT md5(n::text) FROM generate_series(1, 99) n), 99, 5)",
        "prune_attempts": "SELECT ledger.prune_attempts()",
    ]

    @Test(
        "costs no more when the tables have grown: it finds its rows by a key, or by an index of open rows",
        arguments: StatementPlans.Knowledge.allCases)
    func plans(knowledge: StatementPlans.Knowledge) async throws {
        try await TestLedger.with { ledger in
            try await ledger.start()
            try await StatementPlans.fill(knowledge, rows: Self.rows, on: ledger.owner)
            let plans = try await StatementPlans("ledger", bounded: Self.bounded, open: Self.open, on: ledger.owner)
            let statements = try SourceStatement.gather(
                below: ["Services/OrderLedger/App", "Shared/Outbox"], but: Self.others, values: Self.values)
            #expect(statements.count > 50)
            for statement in statements {
                let faults = try await plans.faults(of: statement.sql)
                #expect(faults.isEmpty, "\(statement.place): \(statement.sql)")
                #expect(!statement.namesNoColumns, "\(statement.place): a migration that adds a column would break it")
            }
            #expect(try await plans.functions(of: "ledger") == Set(Self.calls.keys))
            // A call of a function is run, and needs rows to find.
            for (name, call) in Self.calls where knowledge != .empty {
                let faults = try await plans.faults(ofCall: call)
                #expect(faults.isEmpty, "\(name)")
            }
        }
    }

    /// A ledger that has kept books for a while.
    private static let rows = """
        INSERT INTO ledger.facts (partition, "offset", disposition, headers, value, event_id, event_type, order_id, source,
                reader, rules, layout, hash)
            SELECT n % 64, n, 'applied', '', '', md5('event' || n)::uuid, 'type', md5(n::text)::uuid, 'source', 1, 1, 1,
                sha256(n::text::bytea) FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.entries (partition, "offset", entry, line, kind, cause, occurred_at, order_id, payment_id,
                merchant_id, rules, account, currency, amount)
            SELECT n % 64, n, 0, line, 'sale', md5('event' || n)::uuid, now(), md5(n::text)::uuid,
                md5('payment' || n)::uuid, md5('merchant')::uuid,
                1, 'account', 'CNY', 4500 - 9000 * line
            FROM generate_series(1, 15000) AS n, generate_series(0, 1) AS line;
        INSERT INTO ledger.faults (partition, "offset", fault, source_offset, subject, code, reason)
            SELECT n % 64, n, 0, n, 'order', 'code', 'reason' FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.orders (partition, order_id, merchant_id, currency, partitions, status)
            SELECT n % 64, md5(n::text)::uuid, md5('merchant')::uuid, 'CNY', 64, 'paid'
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.order_offers (partition, order_id, revision, subtotal, discount, shipping, tax, total,
                lines_digest)
            SELECT n % 64, md5(n::text)::uuid, 1, 4500, 0, 0, 0, 4500, '' FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.payments (partition, order_id, payment_id, status, transition, revision, currency, amount)
            SELECT n % 64, md5(n::text)::uuid, md5('payment' || n)::uuid, 'succeeded', 2, 1, 'CNY', 4500
            FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.follow_ups (partition, order_id, operation_id, payment_id, kind, currency, amount, status,
                transition)
            SELECT n % 64, md5(n::text)::uuid, md5('refund' || n)::uuid, md5('payment' || n)::uuid, 'refund', 'CNY', 100,
                'succeeded', 2 FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.refused_commands (partition, order_id, command_id, command_type, reason)
            SELECT n % 64, md5(n::text)::uuid, md5('command' || n)::uuid, 'type', 'reason'
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.settlement_facts (partition, "offset", order_id, kind, merchant_id, acquirer, account,
                settlement_date)
            SELECT n % 64, n, md5(n::text)::uuid, 'row', md5('merchant')::uuid, 'unionpay', 'account',
                (date '2026-01-01' + n % 300)::text FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.settlement_days (merchant_id, acquirer, account, settlement_date, status, open_differences,
                report, checked_at)
            SELECT md5((n % 20)::text)::uuid, 'unionpay', 'account', (date '2000-01-01' + n)::text,
                CASE n % 100 WHEN 0 THEN 'differs' ELSE 'reconciled' END, 0, '{}', now()
            FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.parked_facts (partition, "offset", order_id)
            SELECT n % 64, n, md5(n::text)::uuid FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.offered_orders (partition, order_id, merchant_id, partitions, request, request_digest, revision,
                created_at)
            SELECT n % 64, md5(n::text)::uuid, md5('merchant')::uuid, 64, '', '', 1, now()
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.idempotency_keys (slot, merchant_id, key, order_id, partitions, created_at)
            SELECT n % 1024, md5('merchant')::uuid, n::text, md5(n::text)::uuid, 64, now()
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.offers (partition, order_id, revision, total, created_at)
            SELECT n % 64, md5(n::text)::uuid, 1, 4500, now() FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.commands (partition, order_id, command_id, type, api_key, requested_at)
            SELECT n % 64, md5(n::text)::uuid, md5('command' || n)::uuid, 'type', 'key', now()
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.final_offers (partition, order_id, revision, command_id, request, request_digest, created_at)
            SELECT n % 64, md5(n::text)::uuid, 2, md5('command' || n)::uuid, '', '', now()
                FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.attempts (partition, order_id, attempt_id, stage, reason, recorded_at)
            SELECT n % 64, md5(n::text)::uuid, md5(n::text)::uuid, 'parse', 'tokenMalformed', now() - interval '1 day'
            FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.contacts (partition, order_id, payment_id, merchant_id, received_at, contact, next_check)
            SELECT n % 64, md5(n::text)::uuid, md5('payment' || n)::uuid, md5('merchant')::uuid, now(), '{}',
                now() + interval '1 day' FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.contact_erasures (partition, order_id)
            SELECT n % 64, md5('erased' || n)::uuid FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.webhook_messages (partition, order_id, endpoint, message_id, merchant_id, "offset", line, event,
                body, state, tried_from, due_at, ended_at)
            SELECT n % 64, md5(n::text)::uuid, 'erp', md5('message' || n)::uuid, md5('merchant')::uuid, n, 0, 'order.paid',
                '{}', CASE n % 100 WHEN 0 THEN 'waiting' WHEN 1 THEN 'parked' ELSE 'delivered' END, now(),
                CASE n % 100 WHEN 0 THEN now() END, CASE n % 100 WHEN 0 THEN NULL ELSE now() END
            FROM generate_series(1, 30000) AS n;
        INSERT INTO ledger.outbox (partition, event_id, topic, key, headers, value)
            SELECT n % 64, md5(n::text), 'orchard.journal.v1', '', '', '' FROM generate_series(1, 30000) AS n;
        -- A stream whose events wait for Kafka.
        INSERT INTO ledger.outbox (partition, event_id, topic, key, headers, value)
            SELECT 1, md5('waiting' || n), 'orchard.journal.v1', '', '', '' FROM generate_series(1, 5000) AS n;
        SELECT ledger.outbox_number(0, 'orchard.journal.v1', 100);
        """
}
