import CYardstick
import Foundation
import OrchardPostgres

/// The yardstick of a charge's cost in PostgreSQL.
extension BenchGateway {
    /// Charges in a transaction: what gathers under load.
    static let group = 32

    /// The CPU-seconds of PostgreSQL a charge when a C program writes the same rows: order and operation, the locks and
    /// updates of the acquirer's answer, its notification and the query's result, two facts that are numbered and deleted.
    /// The gateway must not run: its relay would take the facts.
    func writingCost(_ count: Int) async throws -> Double {
        let groups = max(1, count / Self.group)
        let transactions = (0..<groups).flatMap { group in
            let range = "\(group * Self.group + 1), \((group + 1) * Self.group)"
            return Self.steps.map { step in
                "BEGIN; " + step.map { "EXECUTE \($0)(\(range)); " }.joined() + "COMMIT"
            }
        }
        let texts = Self.prepared(partitions) + transactions
        let before = ProcessTime.seconds(of: server)
        let nanoseconds = await Yardstick.run { [database] in
            Yardstick.with(texts) { yardstick_write(database, $0, Int32(texts.count)) }
        }
        guard nanoseconds > 0 else { throw BenchError("libpq alone did not write the rows of charges") }
        return (ProcessTime.seconds(of: server) - before) / Double(groups * Self.group)
    }

    /// The statements of each transaction.
    private static let steps = [
        ["lock_orders", "new_orders", "new_operations", "new_facts"], ["lock_orders", "read", "answered"],
        ["lock_orders", "read", "asked", "due"], ["lock_orders", "read", "paid", "closed", "new_facts"], ["number"],
        ["settle"],
    ]

    private static func prepared(_ partitions: Int32) -> [String] {
        // Real orders are named by time, payments by a hash.
        let order = "(lpad(to_hex(1760000000000 + i), 12, '0') || left(md5('yardstick' || i), 20))::uuid"
        let payment = "md5('yardstick payment' || i)"
        let range = "generate_series($1::integer, $2::integer) AS i"
        let key = "row.partition = i % \(partitions) AND row.order_id = \(order)"
        let statements = [
            "lock_orders": "SELECT row.* FROM \(range), gateway.orders AS row WHERE \(key) FOR UPDATE OF row",
            "read": "SELECT row.* FROM \(range), gateway.operations AS row WHERE \(key)",
            "new_orders": """
            INSERT INTO gateway.orders (partition, order_id, due_at, due_step, due_acquirer, due_account)
            SELECT i % \(partitions), \(order), now(), 'query', 'unionpay', 'yardstick' FROM \(range)
            """,
            "new_operations": """
            INSERT INTO gateway.operations (partition, order_id, payment_id, number, merchant_id, revision, amount, currency,
                expires_at, signed_at, card_network, card_last_four, card_data_type, route_id, route_digest, acquirer,
                account, order_number, transaction_time, phase, transition, sends, unsent, is_sending, sent_at, open_since,
                is_unknown_told, queries, is_known_there, is_recovered, holds_card, next_step, next_at, traceparent,
                sealed_card, sealing_key, ticket_hash)
            SELECT i % \(partitions), \(order), \(payment)::uuid, 0, merchant_id, revision, amount, currency, expires_at,
                signed_at, card_network, card_last_four, card_data_type, route_id, route_digest, acquirer, 'yardstick',
                \(payment), transaction_time, 'submitting', 1, 1, 0, true, now(), now(), false, 0, false, false, true,
                'query', now(), traceparent, (SELECT string_agg(md5(i::text || part), '') FROM generate_series(1, 25) AS part),
                'sealing', sha256(\(payment)::bytea)
            FROM (SELECT * FROM gateway.operations WHERE phase = 'succeeded' AND card_network IS NOT NULL LIMIT 1) AS model,
                \(range)
            """,
            "new_facts": """
            INSERT INTO gateway.outbox (partition, event_id, topic, key, headers, value)
            SELECT i % \(partitions), gen_random_uuid()::text, 'yardstick', \(order)::text::bytea, repeat('header: ', 50),
                repeat('value ', 100)::bytea FROM \(range)
            """,
            "answered": """
            UPDATE gateway.operations AS row SET phase = 'pending', transition = 2, is_sending = false,
                accepted_at = now(), is_known_there = true, holds_card = false, sealed_card = NULL, sealing_key = NULL, ticket_hash = NULL
            FROM \(range) WHERE \(key)
            """,
            "asked": """
            UPDATE gateway.operations AS row SET queries = 1, queried_at = now(), next_at = now() FROM \(range) WHERE \(key)
            """,
            "due": "UPDATE gateway.orders AS row SET due_at = now() FROM \(range) WHERE \(key)",
            "paid": """
            UPDATE gateway.operations AS row SET phase = 'succeeded', transition = 3, serial = 'yardstick', next_step = NULL,
                next_at = NULL FROM \(range) WHERE \(key)
            """,
            "closed": """
            UPDATE gateway.orders AS row SET closed_reason = 'paid', closed_payment = \(payment)::uuid, due_at = NULL,
                due_step = NULL, due_acquirer = NULL, due_account = NULL FROM \(range) WHERE \(key)
            """,
            "number": """
            SELECT gateway.outbox_number(partition, 'yardstick', 500)
            FROM generate_series(0, \(partitions) - 1) AS partition WHERE $1::integer < $2::integer
            """,
            "settle": """
            SELECT gateway.outbox_settle(partition, topic, first_sequence, 0) FROM gateway.outbox_batches
            WHERE topic = 'yardstick' AND $1::integer < $2::integer
            """,
        ]
        return ["SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off"]
            + statements.map { "PREPARE \($0.key)(integer, integer) AS \($0.value)" }
    }
}
