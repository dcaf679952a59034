import Contracts
import KeyFiles
import Ledger
import OrchardPostgres
import Outbox

/// Stores what shops are told, in the transaction that folds the facts.
///
/// Only the live fold has one. What another database has told is not told again: facts from before this database was
/// made, facts below the place up to which a lost database had folded, and facts older than ``WebhookRetry/life``.
struct WebhookWriter: Sendable {
    /// The merchant as it is in `merchants.json` now.
    let merchant: @Sendable (MerchantID) -> Merchant?
    var now: @Sendable () -> Timestamp = { .now }
    /// Called after a commit that stored messages.
    var wake: @Sendable () -> Void = {}

    /// A message with its place in the journal.
    struct Placed {
        let message: WebhookMessage
        let offset: Int64
        let line: Int16
    }

    /// A message for one endpoint.
    private struct Row {
        let placed: Placed
        let endpoint: String
        /// Whether no message of this batch goes before it.
        let isFirst: Bool

        var message: WebhookMessage { placed.message }
    }

    /// The messages of a record that was folded, for merchants that have an endpoint for them.
    ///
    /// - Parameters:
    ///   - parked: the facts of its order that waited before it.
    ///   - order: the order after it.
    func messages(of row: JournalRow, _ read: ReadRecord, parked: [JournalEvent], order: OrderState?) -> [Placed] {
        guard let event = read.fact, let order, let merchant = order.merchant.flatMap(merchant),
            !merchant.webhooks.isEmpty
        else { return [] }
        return WebhookMessage.messages(of: row, event, parked: parked, order: order).enumerated().map {
            Placed(message: $1, offset: row.record.position.offset, line: Int16($0))
        }
    }

    /// The statement that stores messages. It locks the batch's orders first, so that no delivery ends an earlier message
    /// unseen: all of them at once and by their ids, as parking does, so that neither waits for the other.
    ///
    /// - Parameter touched: the orders of the batch that are stored already.
    /// - Returns: nil when nobody is told anything.
    func insertion(
        of messages: [Placed], touching touched: some Sequence<OrderID>, in partition: Int32,
        on connection: PostgresConnection
    ) async throws -> PostgresStatement? {
        guard !messages.isEmpty else { return nil }
        let orders = Array(Set(messages.map(\.message.order))).sorted()
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT m.applied_at, s.first_offset FROM ledger.schema_migrations AS m
                LEFT JOIN ledger.webhook_starts AS s ON s.partition = $1 WHERE m.name = 'webhooks'
                """, [partition]),
            PostgresStatement(
                """
                SELECT o.order_id FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                    SELECT order_id FROM ledger.orders WHERE partition = $1 AND order_id = wanted.id FOR UPDATE) AS o
                """, [partition, touched.sorted()]),
            PostgresStatement(
                """
                SELECT d.order_id, d.reference FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                    SELECT order_id, reference FROM ledger.offered_orders
                    WHERE partition = $1 AND order_id = wanted.id OFFSET 0) AS d
                """, [partition, orders]),
        ])
        let time = now()
        let start = try results[0].rows.first?.time("applied_at") ?? time
        let first = try results[0].rows.first?.optionalInt64("first_offset") ?? 0
        var references: [OrderID: String] = [:]
        for row in results[2].rows { references[try row.identifier("order_id")] = try row.optionalString("reference") }
        let rows = rows(
            messages.filter { placed in
                let happened = placed.message.time
                return placed.offset >= first && happened >= start && time - happened <= WebhookRetry.life
            })
        guard !rows.isEmpty else { return nil }
        connection.onCommit(wake)
        return PostgresStatement(
            """
            INSERT INTO ledger.webhook_messages (partition, order_id, endpoint, message_id, merchant_id, "offset", line,
                event, body, tried_from, due_at)
            SELECT $1, n.order_id, n.endpoint, n.message_id, n.merchant_id, n.place, n.line, n.event, n.body,
                $2::timestamptz, CASE WHEN n.is_first AND NOT EXISTS (SELECT 1 FROM ledger.webhook_messages AS w
                    WHERE w.partition = $1 AND w.order_id = n.order_id AND w.endpoint = n.endpoint
                        AND w.state = 'waiting' OFFSET 0) THEN $2::timestamptz END
            FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::bigint[], $8::smallint[], $9::text[],
                $10::text[], $11::boolean[])
                AS n(order_id, endpoint, message_id, merchant_id, place, line, event, body, is_first)
            ON CONFLICT (partition, order_id, endpoint, message_id) DO NOTHING
            """,
            [
                partition, time.postgres, rows.map(\.message.order), rows.map(\.endpoint), rows.map(\.message.id),
                rows.map(\.message.merchant), rows.map(\.placed.offset), rows.map(\.placed.line),
                rows.map(\.message.event.rawValue),
                rows.map { String(decoding: $0.message.json(reference: references[$0.message.order]), as: UTF8.self) },
                rows.map(\.isFirst),
            ])
    }

    private func rows(_ messages: [Placed]) -> [Row] {
        struct Queue: Hashable {
            let order: OrderID
            let endpoint: String
        }
        var begun: Set<Queue> = []
        return messages.flatMap { placed in
            let endpoints = merchant(placed.message.merchant)?.webhooks ?? []
            return endpoints.filter { $0.events.contains(placed.message.event) }.map { endpoint in
                let queue = Queue(order: placed.message.order, endpoint: endpoint.id)
                return Row(placed: placed, endpoint: endpoint.id, isFirst: begun.insert(queue).inserted)
            }
        }
    }
}
