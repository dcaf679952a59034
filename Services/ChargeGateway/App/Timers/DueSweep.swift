import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Finds due orders in the database: the first orders of each account's queue, the accounts in turn.
///
/// Its cost does not grow with what waits: it steps from one queue (kind of step, acquirer, account) to the next in the
/// index, and takes the first orders of each in each partition that may be stepped. It looks at the queues whose slots are
/// taken as well: orders of a process that died wait no longer than those of this one.
struct DueSweep: Sendable {
    let inbox: Inbox

    /// The most orders of a queue in one sweep.
    static let ofQueue = 256
    /// The most orders of all.
    static let limit = 1_024

    /// What a sweep found.
    struct Found {
        var due: [DueTime] = []
        /// The database's clock.
        let time: Timestamp
        /// Orders whose rows are damaged, and why they cannot be read: they wait for a person, and no other waits for them.
        var damaged: [(order: OrderID, reason: any Error)] = []
    }

    /// - Parameter inProgress: orders that this process has in hand; they are left out.
    func read(without inProgress: Set<OrderID>, on connection: PostgresConnection) async throws -> Found {
        let results = try await connection.pipeline([
            PostgresStatement("SELECT clock_timestamp() AS now"), statement(without: inProgress),
        ])
        guard let clock = results[0].rows.first else { preconditionFailure("a clock has one row") }
        var found = Found(time: try clock.time("now"))
        found.due = try results[1].rows.reading { row in
            DueTime(
                order: DueOrder(
                    order: try row.identifier("order_id"), partition: try row.int32("partition"),
                    step: try row.word("due_step"), acquirer: try row.string("due_acquirer"),
                    account: try row.string("due_account")),
                time: try row.time("due_at"))
        } damaged: { row, error in
            found.damaged.append((try row.identifier("order_id"), error))
        }
        return found
    }

    func statement(without inProgress: Set<OrderID>) -> PostgresStatement {
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
            steppable AS MATERIALIZED (\(inbox.steppable))
            SELECT due.partition, due.order_id, due.due_at, q.due_step, q.due_acquirer, q.due_account
            FROM queues AS q CROSS JOIN LATERAL (
                SELECT partition, order_id, due_at, row_number() OVER (ORDER BY due_at, order_id) AS turn FROM (
                    SELECT partition, order_id, due_at FROM steppable CROSS JOIN LATERAL (
                        SELECT order_id, due_at FROM gateway.orders
                        WHERE due_step = q.due_step AND due_acquirer = q.due_acquirer
                            AND due_account = q.due_account AND partition = steppable.partition
                            AND due_at <= statement_timestamp() AND order_id NOT IN (SELECT unnest($1::uuid[]))
                        ORDER BY due_at, order_id LIMIT \(Self.ofQueue)) AS own
                    ORDER BY due_at, order_id LIMIT \(Self.ofQueue)) AS first) AS due
            ORDER BY due.turn, due.due_at, due.order_id LIMIT \(Self.limit)
            """, [Array(inProgress)])
    }
}
