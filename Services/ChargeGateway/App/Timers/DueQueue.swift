import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Reads what is due: of each account's queue no more than has a slot, merchant by merchant in turn.
///
/// Its cost does not grow with what waits: it steps from one queue (kind of step, acquirer, account) to the next in the
/// index, and takes the first orders of each in each partition that may be stepped.
struct DueQueue: Sendable {
    let inbox: Inbox

    /// The most orders of one look.
    static let limit = 256

    /// - Parameters:
    ///   - slots: how many more of each queue can be fired.
    ///   - claimed: orders that this process has in hand; they are left out.
    func read(
        _ slots: Slots.Free, without claimed: Set<OrderID>, on connection: PostgresConnection
    ) async throws -> [DueOrder] {
        try await connection.pipeline([statement(slots, without: claimed)])[0].rows.map { row in
            DueOrder(
                order: try row.identifier("order_id"), partition: try row.int32("partition"),
                step: try row.word("due_step"), acquirer: try row.string("due_acquirer"),
                account: try row.string("due_account"))
        }
    }

    func statement(_ slots: Slots.Free, without claimed: Set<OrderID>) -> PostgresStatement {
        PostgresStatement(
            """
            WITH RECURSIVE queues AS (
                (SELECT due_step, due_acquirer, due_account FROM gateway.orders WHERE due_at IS NOT NULL
                    ORDER BY due_step, due_acquirer, due_account LIMIT 1)
                UNION ALL
                SELECT next.due_step, next.due_acquirer, next.due_account FROM queues AS q CROSS JOIN LATERAL (
                    SELECT due_step, due_acquirer, due_account FROM gateway.orders WHERE due_at IS NOT NULL
                        AND (due_step, due_acquirer, due_account) > (q.due_step, q.due_acquirer, q.due_account)
                    ORDER BY due_step, due_acquirer, due_account LIMIT 1) AS next),
            steppable AS MATERIALIZED (\(inbox.steppable)),
            free AS (
                SELECT q.due_step, q.due_acquirer, q.due_account,
                    least(coalesce(own.free, $2), coalesce(shared.free, $3)) AS slots
                FROM queues AS q
                    LEFT JOIN unnest($4::text[], $5::text[], $6::text[], $7::bigint[])
                        AS own(step, acquirer, account, free)
                        ON (own.step, own.acquirer, own.account) = (q.due_step, q.due_acquirer, q.due_account)
                    LEFT JOIN unnest($8::text[], $9::text[], $10::bigint[]) AS shared(step, acquirer, free)
                        ON (shared.step, shared.acquirer) = (q.due_step, q.due_acquirer))
            SELECT due.partition, due.order_id, free.due_step, free.due_acquirer, free.due_account
            FROM free CROSS JOIN LATERAL (
                SELECT partition, order_id, due_at, row_number() OVER (ORDER BY due_at, order_id) AS turn FROM (
                    SELECT partition, order_id, due_at FROM steppable CROSS JOIN LATERAL (
                        SELECT order_id, due_at FROM gateway.orders
                        WHERE due_step = free.due_step AND due_acquirer = free.due_acquirer
                            AND due_account = free.due_account AND partition = steppable.partition
                            AND due_at <= statement_timestamp() AND order_id NOT IN (SELECT unnest($1::text[]))
                        ORDER BY due_at, order_id LIMIT free.slots) AS own
                    ORDER BY due_at, order_id LIMIT free.slots) AS first) AS due
            WHERE free.slots > 0
            ORDER BY due.turn, due.due_at, due.order_id LIMIT \(Self.limit)
            """,
            [
                claimed.map(\.description), Int64(slots.ofAccount), Int64(slots.ofAcquirer),
                slots.accounts.map(\.step.rawValue), slots.accounts.map(\.acquirer), slots.accounts.map(\.account),
                slots.accounts.map { Int64($0.slots) }, slots.acquirers.map(\.step.rawValue),
                slots.acquirers.map(\.acquirer), slots.acquirers.map { Int64($0.slots) },
            ])
    }
}
