import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Stored messages as an operator looks at them and sends them again.
struct WebhookList {
    let connection: PostgresConnection

    /// The most messages of a list, and of one portion of a replay.
    static let limit = 1_000

    static let columns = """
        m.partition, m.order_id, m.endpoint, m.message_id, m.merchant_id, m.event, m.state, m.due_at, m.failures, m.reason,
        m.ended_at
        """

    /// Which messages.
    enum Selection: Hashable {
        case waiting, parked
        /// All of an order, also those that were delivered.
        case order(OrderID)
        /// Parked messages by their ids.
        case ids([EventID])
    }

    /// A message of a list.
    struct Item: Sendable {
        let partition: Int32
        let order: OrderID
        let name: WebhookName
        let id: EventID
        let event: String
        let state: String
        /// When it is sent next; nil while an earlier one of its order waits, or when it has ended.
        let due: Timestamp?
        let ended: Timestamp?
        let failures: Int32
        let reason: String?

        /// One line of the list.
        var line: String {
            let when =
                switch (state, due, ended) {
                case ("waiting", let due?, _): "next \(due)"
                case ("waiting", nil, _): "behind another of its order"
                case (_, _, let ended): "at \(ended?.description ?? "")"
                }
            return "\(state)  \(event)  \(id)  order \(order)  endpoint \(name)  \(when)  \(failures) failures"
                + (reason.map { "  \($0)" } ?? "")
        }
    }

    /// The messages, the oldest of an endpoint first; at most ``limit``.
    func items(_ selection: Selection) async throws -> [Item] {
        let rows: [PostgresRow]
        switch selection {
        case .waiting:
            rows = try await connection.query(
                """
                SELECT \(Self.columns) FROM ledger.webhook_messages AS m WHERE m.state = 'waiting'
                ORDER BY m.merchant_id, m.endpoint, m.tried_from LIMIT \(Self.limit)
                """)
        case .parked:
            rows = try await connection.query(
                """
                SELECT \(Self.columns) FROM ledger.webhook_messages AS m WHERE m.state = 'parked'
                ORDER BY m.ended_at LIMIT \(Self.limit)
                """)
        case .order(let order):
            // In every partition: a restored database does not know the partition of an order that it has lost.
            rows = try await connection.query(
                """
                SELECT \(Self.columns) FROM ledger.inbox_watermarks AS w CROSS JOIN LATERAL (
                    SELECT \(Self.columns), m."offset", m.line FROM ledger.webhook_messages AS m
                    WHERE m.partition = w.partition AND m.order_id = $1 OFFSET 0) AS m
                WHERE w.topic = $2 ORDER BY m.endpoint, m."offset", m.line
                """, [order, LedgerSchema.inbox.topic])
        case .ids(let ids):
            rows = try await connection.query(
                """
                SELECT \(Self.columns) FROM ledger.webhook_messages AS m
                WHERE m.state = 'parked' AND m.message_id = ANY($1)
                """, [ids])
        }
        return try rows.map { try Item($0) }
    }

    /// Makes messages that have ended wait again, with 3 days of tries. The earlier one of an order goes first.
    ///
    /// - Returns: how many; those that wait already are not counted.
    func replay(_ items: [Item], at time: Timestamp) async throws -> Int {
        var count = 0
        for item in items {
            count += try await connection.transaction { connection in
                let results = try await connection.pipeline([
                    WebhookStore.lockingOrder(item.partition, item.order),
                    PostgresStatement(
                        """
                        UPDATE ledger.webhook_messages AS m SET state = 'waiting', failures = 0, tried_from = $5, ended_at = NULL,
                            reason = NULL, lease = \(WebhookStore.nextLease)
                        WHERE partition = $1 AND order_id = $2 AND endpoint = $3 AND message_id = $4
                            AND state <> 'waiting'
                        """, [item.partition, item.order, item.name.endpoint, item.id, time.postgres]),
                    WebhookStore.promoting([(item.partition, item.order)], item.name.endpoint, at: time),
                ])
                return Int(results[1].affectedRows)
            }
        }
        return count
    }

    /// Makes every parked message wait again that was parked up to now.
    func replayParked(at time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            let items = try await items(.parked).filter { $0.ended.map { $0 <= time } ?? false }
            let replayed = try await replay(items, at: time)
            count += replayed
            guard replayed > 0 else { return count }
        }
    }
}

extension WebhookList.Item {
    init(_ row: PostgresRow) throws {
        self.init(
            partition: try row.int32("partition"), order: try row.identifier("order_id"), name: try WebhookName(row),
            id: try row.identifier("message_id"), event: try row.string("event"), state: try row.string("state"),
            due: try row.optionalTime("due_at"), ended: try row.optionalTime("ended_at"),
            failures: try row.int32("failures"), reason: try row.optionalString("reason"))
    }
}
