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
    /// Called for a message whose merchant this instance does not have: its file is older than that of others, or the
    /// merchant was taken out too early. The shop never hears of it.
    var merchantIsUnknown: @Sendable (WebhookMessage) -> Void = { _ in }

    /// A message with its place in the journal.
    struct Placed {
        let message: WebhookMessage
        let position: JournalPosition
        let line: Int16

        var order: OrderPlace { OrderPlace(partition: position.partition, order: message.order) }
    }

    /// A message for one endpoint.
    private struct Row {
        let placed: Placed
        let endpoint: String
        /// Whether no message of this batch goes before it.
        let isFirst: Bool

        var message: WebhookMessage { placed.message }
    }

    /// The messages of a record that was folded; none for a merchant without an endpoint.
    ///
    /// - Parameters:
    ///   - parked: the facts of its order that waited before it.
    ///   - order: the order after it.
    func messages(of row: JournalRow, _ read: ReadRecord, parked: [JournalEvent], order: OrderState?) -> [Placed] {
        guard let event = read.fact, let order, let id = order.merchant, merchant(id)?.webhooks.isEmpty != true else {
            return []
        }
        return WebhookMessage.messages(of: row, event, parked: parked, order: order).enumerated().map {
            Placed(message: $1, position: row.record.position, line: Int16($0))
        }
    }

    /// The statement that stores messages. It locks the batch's orders first, so that no delivery ends an earlier message
    /// unseen: all of them at once and by their ids, as parking does, so that neither waits for the other.
    ///
    /// - Parameter touched: the orders of the batches that are stored already, in order.
    /// - Returns: nil when nobody is told anything.
    func insertion(
        of messages: [Placed], touching touched: [OrderPlace], on connection: PostgresConnection
    ) async throws -> PostgresStatement? {
        guard !messages.isEmpty else { return nil }
        let orders = Set(messages.map(\.order)).sorted()
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT m.applied_at, p.partition, coalesce(s.first_offset, 0) AS first_offset
                FROM unnest($1::integer[]) AS p(partition) CROSS JOIN ledger.schema_migrations AS m
                LEFT JOIN ledger.webhook_starts AS s ON s.partition = p.partition WHERE m.name = 'webhooks'
                """, [Set(orders.map(\.partition)).sorted()]),
            PostgresStatement(
                """
                SELECT o.order_id FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                    SELECT order_id FROM ledger.orders WHERE partition = wanted.place AND order_id = wanted.id
                    FOR UPDATE) AS o
                """, [touched.map(\.partition), touched.map(\.order)]),
            PostgresStatement(
                """
                SELECT d.partition, d.order_id, d.reference
                FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                    SELECT partition, order_id, reference FROM ledger.offered_orders
                    WHERE partition = wanted.place AND order_id = wanted.id OFFSET 0) AS d
                """, [orders.map(\.partition), orders.map(\.order)]),
        ])
        let time = now()
        var starts: [Int32: (time: Timestamp, offset: Int64)] = [:]
        for row in results[0].rows {
            starts[try row.int32("partition")] = (try row.time("applied_at"), try row.int64("first_offset"))
        }
        var references: [OrderPlace: String] = [:]
        for row in results[2].rows {
            references[try OrderPlace(row)] = try row.optionalString("reference")
        }
        let rows = rows(
            messages.filter { placed in
                let start = starts[placed.position.partition] ?? (time, 0)
                let happened = placed.message.time
                return placed.position.offset >= start.offset && happened >= start.time
                    && time - happened <= WebhookRetry.life
            }, on: connection)
        guard !rows.isEmpty else { return nil }
        connection.onCommit(wake)
        return PostgresStatement(
            """
            INSERT INTO ledger.webhook_messages (partition, order_id, endpoint, message_id, merchant_id, "offset", line,
                event, body, tried_from, due_at)
            SELECT n.partition, n.order_id, n.endpoint, n.message_id, n.merchant_id, n.place, n.line, n.event, n.body,
                $1::timestamptz, CASE WHEN n.is_first AND NOT EXISTS (SELECT 1 FROM ledger.webhook_messages AS w
                    WHERE w.partition = n.partition AND w.order_id = n.order_id AND w.endpoint = n.endpoint
                        AND w.state = 'waiting' OFFSET 0) THEN $1::timestamptz END
            FROM unnest($2::integer[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::bigint[], $8::smallint[],
                $9::text[], $10::text[], $11::boolean[])
                AS n(partition, order_id, endpoint, message_id, merchant_id, place, line, event, body, is_first)
            ON CONFLICT (partition, order_id, endpoint, message_id) DO NOTHING
            """,
            [
                time.postgres, rows.map(\.placed.position.partition), rows.map(\.message.order), rows.map(\.endpoint),
                rows.map(\.message.id), rows.map(\.message.merchant), rows.map(\.placed.position.offset),
                rows.map(\.placed.line), rows.map(\.message.event.rawValue),
                rows.map {
                    String(decoding: $0.message.json(reference: references[$0.placed.order]), as: UTF8.self)
                },
                rows.map(\.isFirst),
            ])
    }

    private func rows(_ messages: [Placed], on connection: PostgresConnection) -> [Row] {
        struct Queue: Hashable {
            let order: OrderPlace
            let endpoint: String
        }
        var begun: Set<Queue> = []
        return messages.flatMap { placed -> [Row] in
            guard let merchant = merchant(placed.message.merchant) else {
                connection.onCommit { [merchantIsUnknown] in merchantIsUnknown(placed.message) }
                return []
            }
            return merchant.webhooks.filter { $0.events.contains(placed.message.event) }.map { endpoint in
                let queue = Queue(order: placed.order, endpoint: endpoint.id)
                return Row(placed: placed, endpoint: endpoint.id, isFirst: begun.insert(queue).inserted)
            }
        }
    }
}
