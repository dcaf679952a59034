import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway
@testable import Outbox

@Suite("Every statement of the gateway", .timeLimit(.minutes(10)))
struct StatementPlanTests {
    /// What the sources interpolate, by its Swift expression.
    private static let values = [
        "schema": "gateway", "inbox.schema": "gateway", "outbox.schema": "gateway", "topic": Topic.charges.name,
        "lock": "FOR UPDATE", "lockWait.rawValue": "FOR UPDATE", "limit": "1000",
        "Self.limit": "1024", "Self.ofQueue": "128",
        "DatabaseServer.columns(of: schema)": DatabaseServer.columns(of: "gateway"),
        "DatabaseServer.columns(of: inbox.schema)": DatabaseServer.columns(of: "gateway"),
        "columns(of: schema)": DatabaseServer.columns(of: "gateway"),
        "Self.lateness.components.seconds": "900",
        "OperationRow.columns": OperationRow.columns, "FollowUpRow.columns": FollowUpRow.columns,
        "Self.keys":
            "unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) WITH ORDINALITY AS key(of_number, of_acquirer, of_account, of_time, number)",
        "inbox.steppable": GatewayService.inbox.steppable, "behind": "AND order_id > $3",
        // One example of those that are made for any table; the real ones are looked at below.
        "table": "gateway.orders", "columns": "partition, order_id", "ending": "FOR UPDATE",
        "names": "partition, order_id", "assignments": "closed_payment = new.order_id",
        "RowColumn.unnest(columns)": "unnest($1::integer[], $2::uuid[]) AS new(partition, order_id)",
        "condition": "row.partition = new.partition AND row.order_id = new.order_id",
        "statement.sql": "UPDATE gateway.orders SET due_at = NULL WHERE partition = $1 AND order_id = $2",
        "statement.parameters.count + 1": "3",
    ]

    /// Tables with a row or a few for each partition, or for each event in the life of a database.
    private static let bounded: Set = [
        "schema_migrations", "inbox_watermarks", "inbox_losses", "inbox_recoveries", "outbox_streams", "outbox_batches",
        // A row for each day of an account, and a few for a day whose file was wrong.
        "settlement_files", "settlement_refusals",
    ]

    /// Indexes of what is due, live, or may still be sent.
    private static let open: Set = [
        "orders_due", "operations_single_flight", "operations_live", "operations_sealed", "follow_ups_one_at_a_time",
        "follow_ups_live",
    ]

    /// The functions of the schema, each with a call that finds work.
    private static let calls = [
        "expect_rows": "SELECT gateway.expect_rows(1, 1)",
        "decimal_amount": "SELECT gateway.decimal_amount(4500, 'CNY')",
        "outbox_number": "SELECT gateway.outbox_number(1, 'orchard.journal.v1', 100)",
        "outbox_settle": "SELECT gateway.outbox_settle(0, 'orchard.journal.v1', 1, 5)",
        "outbox_recover":
            "SELECT gateway.outbox_recover(2, 'orchard.journal.v1', ARRAY(SELECT md5(n::text) FROM generate_series(1, 99) n), 99, 5)",
    ]

    @Test(
        "costs no more when the tables have grown: it reaches its rows by a key, or by an index of what is open",
        arguments: StatementPlans.Knowledge.allCases)
    func plans(knowledge: StatementPlans.Knowledge) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await StatementPlans.fill(knowledge, rows: Self.rows, on: gateway.owner)
            let plans = try await StatementPlans("gateway", bounded: Self.bounded, open: Self.open, on: gateway.owner)
            let statements = try SourceStatement.gather(
                below: ["Services/ChargeGateway/App", "Shared/Outbox"], values: Self.values)
            #expect(statements.count > 40)
            for statement in statements {
                #expect(try await plans.faults(of: statement.sql).isEmpty, "\(statement.place): \(statement.sql)")
                #expect(!statement.namesNoColumns, "\(statement.place): a migration that adds a column would break it")
            }
            #expect(try await plans.functions(of: "gateway") == Set(Self.calls.keys))
            // A call of a function is run, and needs rows to find.
            for (name, call) in Self.calls where knowledge != .empty {
                #expect(try await plans.faults(ofCall: call).isEmpty, "\(name)")
            }
        }
    }

    @Test(
        "that reads or writes rows of many orders does so by their keys", arguments: StatementPlans.Knowledge.allCases)
    func groups(knowledge: StatementPlans.Knowledge) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await StatementPlans.fill(knowledge, rows: Self.rows, on: gateway.owner)
            let plans = try await StatementPlans("gateway", bounded: Self.bounded, open: Self.open, on: gateway.owner)
            let place = OrderStore.Place(order: Shop.order(), partition: 0)
            let store = OrderStore(policy: gateway.transactions.policy)
            var statements = [OrderStore.LockWait.wait, .skip].flatMap { store.statements([place], $0, cards: [place]) }
            let (order, command) = (place.order, try gateway.shop.charge(place.order))
            let cancel = CloseRequested(
                command: CommandID(time: .now, randomness: [UInt8](repeating: 0, count: 10)), order: order,
                merchant: Shop.merchant, partitions: Shop.partitions)
            let charge = Charge(
                order: order, payment: command.payment, merchant: Shop.merchant, revision: 1,
                amount: Money(minorUnits: 1, currency: .cny), expiresAt: .now, signedAt: .now, card: nil, route: nil,
                reference: nil)
            let operation = OperationMachine(
                .charge(charge), state: OperationState(phase: .created), policy: store.policy)
            for saved in [nil, OrderMachine(order: order, operations: [operation], policy: store.policy)] {
                var stored =
                    saved.map { StoredOrder(partition: 0, saved: $0, traces: [:]) }
                    ?? StoredOrder(order: order, partition: 0, policy: store.policy)
                _ = stored.receive(.charge(charge), at: .now)
                _ = stored.receive(.operation(charge.operation, .due(.ready)), at: .now + .seconds(9_000))
                _ = stored.receive(.close(cancel), at: .now)
                statements += OrderChanges([stored]).writes.map { $0.counted(in: "gateway") }
            }
            statements += [OrderChanges.adoption.write([OrderChanges.Operation(partition: 0, machine: operation)])]
                .compactMap { $0?.counted(in: "gateway") }
            statements += Self.followUps(of: charge, store).map { $0.counted(in: "gateway") }
            statements.append(store.followUps(of: [place]))
            let advance = Write(store.inbox.advancing([Inbox.Advance(0, from: 0, to: 1, by: 1)]), rows: 1)
            statements += [
                store.inbox.opening([0]), store.search(chargedBy: [command.payment]), advance.counted(in: "gateway"),
            ]
            #expect(Set(statements.map(\.sql)).count == 19)
            for statement in statements {
                #expect(try await plans.faults(of: statement).isEmpty, "\(statement.sql)")
            }
        }
    }

    /// The writes of a refund that begins, and goes on.
    private static func followUps(of charge: Charge, _ store: OrderStore) -> [Write] {
        let original = AcquirerReference(acquirer: "unionpay", account: "777", orderNumber: "1", time: .now)
        let refund = FollowUp(
            order: charge.order, payment: charge.payment, merchant: charge.merchant, kind: .refund,
            cause: .lateSuccess(charge.payment), causedAt: .now, amount: charge.amount, original: original,
            originalSerial: "1", attempt: 0)
        let operation = OperationMachine(
            .followUp(refund), state: OperationState(phase: .created), policy: store.policy)
        let row = OrderChanges.Operation(partition: 0, machine: operation)
        return [OrderChanges.followUpInsertion.write([row]), OrderChanges.followUpUpdate.write([row])]
            .compactMap(\.self)
    }

    @Test("would be found out if it read a table, an index or a partition from end to end")
    func detection() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let plans = try await StatementPlans("gateway", bounded: Self.bounded, open: Self.open, on: gateway.owner)
            for (sql, fault) in [
                ("SELECT count(*) FROM gateway.operations WHERE amount = $1", "reads all of operations"),
                ("SELECT phase FROM gateway.operations WHERE order_id = $1", "reads all of "),
                ("SELECT phase FROM gateway.operations WHERE partition = $1", "no condition on "),
                ("SELECT phase FROM gateway.operations WHERE partition = $1 AND order_id = $2", nil),
                ("SELECT order_id FROM gateway.orders ORDER BY partition, order_id LIMIT 10", nil),
                (
                    "SELECT phase FROM gateway.operations WHERE account = $1 AND acquirer = $2 AND transaction_time = $3",
                    "walks"
                ),
                ("SELECT sum(next_offset) FROM gateway.inbox_watermarks", nil),
            ] as [(String, String?)] {
                let found = try await plans.faults(of: sql).joined()
                #expect(fault.map { found.contains($0) } ?? found.isEmpty, "\(sql): \(found)")
            }
        }
    }

    @Test("finds few dead rows: tables that serve as queues are vacuumed after a number of them, not a share")
    func vacuuming() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let tables = try await gateway.owner.query(
                """
                SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'gateway'::regnamespace
                    AND 'autovacuum_vacuum_scale_factor=0' = ANY (reloptions) ORDER BY relname
                """)
            #expect(try tables.map { try $0.string("name") } == ["follow_ups", "operations", "orders", "outbox"])
        }
    }

    /// A gateway that has charged for a while: nearly everything has ended.
    private static let rows = """
        INSERT INTO gateway.orders (partition, order_id, closed_reason, closed_payment)
            SELECT n % 64, md5(n::text)::uuid, 'paid', md5('payment' || n)::uuid FROM generate_series(1, 30000) AS n;
        INSERT INTO gateway.operations (partition, order_id, payment_id, number, merchant_id, revision, amount, currency,
                expires_at, signed_at, route_id, route_digest, acquirer, account, order_number, transaction_time, phase,
                transition, sends, unsent, is_sending, is_unknown_told, queries, is_known_there, is_recovered, holds_card)
            SELECT n % 64, md5(n::text)::uuid, md5('payment' || n)::uuid, 0, md5('merchant')::uuid, 1, 4500, 'CNY',
                now(), now(), 'main',
                decode(md5('route'), 'hex'), 'unionpay', '777', md5('payment' || n), now(),
                CASE WHEN n % 1000 = 0 THEN 'unknown' ELSE 'succeeded' END, 2, 1, 0, false, false, 1, true, false, false
            FROM generate_series(1, 30000) AS n;
        INSERT INTO gateway.follow_ups (partition, order_id, operation_id, number, payment_id, merchant_id, kind,
                caused_at, amount, currency, acquirer, account, original_number, original_time, attempt, order_number,
                transaction_time, phase, transition, sends, unsent, is_sending, is_unknown_told, queries, is_known_there,
                is_recovered, is_query_only)
            SELECT n % 64, md5(n::text)::uuid, md5('refund' || n)::uuid, 0, md5('payment' || n)::uuid,
                md5('merchant')::uuid, 'refund', now(), 100, 'CNY', 'unionpay', '777', md5('payment' || n), now(), 0,
                md5('refund' || n), now(), CASE WHEN n % 1000 = 0 THEN 'unknown' ELSE 'succeeded' END, 2, 1, 0, false,
                false, 1, true, false, false
            FROM generate_series(1, 30000) AS n;
        INSERT INTO gateway.answered_commands (partition, order_id, command_id)
            SELECT n % 64, md5(n::text)::uuid, md5('command' || n)::uuid FROM generate_series(1, 30000) AS n;
        INSERT INTO gateway.settlement_rows (partition, acquirer, account, settlement_date, line, kind, serial, trace,
                order_number, amount, currency, fee, net, order_id, payment_id, operation_id)
            SELECT n % 64, 'unionpay', '777', '2026-11-' || 10 + n % 20, n, 'sale', n::text, n::text, md5('payment' || n),
                4500, 'CNY', 27, 4473, md5(n::text)::uuid, md5('payment' || n)::uuid, md5('operation' || n)::uuid
            FROM generate_series(1, 30000) AS n;
        INSERT INTO gateway.outbox (partition, event_id, topic, key, headers, value)
            SELECT n % 64, md5(n::text), 'orchard.journal.v1', '', '', '' FROM generate_series(1, 30000) AS n;
        -- A stream whose events wait for Kafka.
        INSERT INTO gateway.outbox (partition, event_id, topic, key, headers, value)
            SELECT 1, md5('waiting' || n), 'orchard.journal.v1', '', '', '' FROM generate_series(1, 5000) AS n;
        SELECT gateway.outbox_number(0, 'orchard.journal.v1', 100);
        """
}
