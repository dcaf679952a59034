import Contracts
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Stored messages while they are delivered. No transaction is open while one is sent.
///
/// Only the first waiting message of an order and an endpoint has a time at which it is due. Whoever ends it gives the
/// next one a time, and holds the order's row meanwhile, as the fold does.
struct WebhookStore: Sendable {
    let database: PostgresPool
    /// Tells of rows that are damaged.
    let logger: Logger

    /// A message that this worker may send until its lease ends.
    struct Leased: Sendable {
        let name: WebhookName
        let partition: Int32
        let order: OrderID
        let id: EventID
        let body: String
        let triedFrom: Timestamp
        let failures: Int
        /// Whether its endpoint failed last: nobody else sends to it now.
        let isProbe: Bool
        fileprivate let lease: Int64
    }

    /// Leases messages that are due. A worker that dies frees them when ``WebhookRetry/lease`` has passed.
    ///
    /// - Parameters:
    ///   - slots: the endpoints, and how many messages each takes now. An endpoint that failed last takes one, from all
    ///     workers together, when its pause is over.
    ///   - limit: how many messages in all. Endpoints with many slots go first, among equals in no order: none is
    ///     always the last.
    func take(_ slots: [WebhookName: Int], upTo limit: Int, at time: Timestamp) async throws -> [Leased] {
        guard !slots.isEmpty, limit > 0 else { return [] }
        let end = (time + WebhookRetry.lease).postgres
        let names = slots.shuffled().sorted { $0.value > $1.value }.map(\.key)
        return try await database.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresStatement(
                    "SELECT merchant_id, endpoint FROM ledger.webhook_endpoints WHERE failures > 0"),
                PostgresStatement(
                    """
                    UPDATE ledger.webhook_endpoints AS s SET paused_until = $2
                    FROM (SELECT s.merchant_id, s.endpoint FROM unnest($3::uuid[], $4::text[]) AS e(merchant_id, endpoint)
                        JOIN ledger.webhook_endpoints AS s USING (merchant_id, endpoint)
                        WHERE s.failures > 0 AND s.paused_until <= $1 AND EXISTS (SELECT 1 FROM ledger.webhook_messages AS m
                            WHERE m.merchant_id = s.merchant_id AND m.endpoint = s.endpoint AND m.due_at <= $1)
                        LIMIT $5 FOR UPDATE OF s SKIP LOCKED) AS free
                    WHERE s.merchant_id = free.merchant_id AND s.endpoint = free.endpoint
                    RETURNING s.merchant_id, s.endpoint
                    """, [time.postgres, end, names.map(\.merchant), names.map(\.endpoint), Int64(limit)]),
            ])
            // A name that is damaged is none of the endpoints that are asked for.
            let failing = Set(results[0].rows.compactMap { try? WebhookName($0) })
            let probes = Set(results[1].rows.compactMap { try? WebhookName($0) })
            // Probes first: nobody else may send to their endpoints until they have ended.
            let wanted =
                probes.map { (name: $0, count: 1) }
                + names.filter { !failing.contains($0) }.map { (name: $0, count: slots[$0] ?? 0) }
            guard !wanted.isEmpty else { return [] }
            let leased = try await connection.query(
                """
                UPDATE ledger.webhook_messages AS m SET due_at = $2, lease = \(Self.nextLease)
                FROM (SELECT d.partition, d.order_id, d.endpoint, d.message_id
                    FROM unnest($3::uuid[], $4::text[], $5::integer[]) AS e(merchant_id, endpoint, slots)
                    CROSS JOIN LATERAL (
                        SELECT partition, order_id, endpoint, message_id FROM ledger.webhook_messages
                        WHERE merchant_id = e.merchant_id AND endpoint = e.endpoint AND due_at <= $1
                        ORDER BY due_at LIMIT e.slots FOR UPDATE SKIP LOCKED) AS d LIMIT $6) AS d
                WHERE m.partition = d.partition AND m.order_id = d.order_id AND m.endpoint = d.endpoint
                    AND m.message_id = d.message_id
                RETURNING m.merchant_id, m.endpoint, m.partition, m.order_id, m.message_id, m.body, m.tried_from,
                    m.failures, m.lease
                """,
                [
                    time.postgres, end, wanted.map(\.name.merchant), wanted.map(\.name.endpoint),
                    wanted.map { Int32($0.count) }, Int64(limit),
                ]
            )
            return try leased.reading { row in
                let name = try WebhookName(row)
                return Leased(
                    name: name, partition: try row.int32("partition"), order: try row.identifier("order_id"),
                    id: try row.identifier("message_id"), body: try row.string("body"),
                    triedFrom: try row.time("tried_from"), failures: Int(try row.int32("failures")),
                    isProbe: probes.contains(name), lease: try row.int64("lease"))
            } damaged: { row, error in
                // It waits for a person, and is told of again when its lease is over.
                let order: OrderID = try row.identifier("order_id")
                let message: EventID = try row.identifier("message_id")
                logger.error(
                    "a webhook cannot be sent, its row is damaged: \(error)",
                    ["order_id": order.description, "message_id": message.description])
            }
        }
    }

    /// A number that is not the lease before; no damaged one ends the statement.
    static let nextLease = "CASE WHEN m.lease BETWEEN 0 AND 1::bigint << 62 THEN m.lease + 1 ELSE 1 END"

    /// Records how a send ended. A message whose lease is over by now is another worker's.
    ///
    /// - Parameter reason: why it failed.
    /// - Returns: how often the endpoint had failed in a row before, and since.
    @discardableResult
    func finish(
        _ message: Leased, _ verdict: WebhookRetry.Verdict, reason: String?, at time: Timestamp
    ) async throws -> (before: Int, after: Int) {
        try await database.withTransaction { connection in
            let results = try await connection.pipeline([
                message.lockingOrder, message.ending(verdict, reason, time), message.promoting(time),
                verdict.isFailure ? message.lockingEndpoint(time) : message.lockingFailingEndpoint,
            ])
            let before = Int(try results[3].rows.first?.int32("failures") ?? 0)
            let after: Int
            switch verdict {
            case .delivered: after = 0
            // The others that were on their way when the endpoint began to fail are one failure.
            case .retry, .parked: after = before == 0 || message.isProbe ? before + 1 : before
            case .released: after = before
            }
            let isEndOfProbe = message.isProbe && verdict == .released
            if before != after || isEndOfProbe {
                try await set(message.name, failures: after, pausing: !isEndOfProbe, reason, at: time, on: connection)
            }
            return (before, after)
        }
    }

    private func set(
        _ name: WebhookName, failures: Int, pausing: Bool, _ reason: String?, at time: Timestamp,
        on connection: PostgresConnection
    ) async throws {
        let pause = pausing ? WebhookRetry.pause(after: failures) : .zero
        try await connection.execute(
            """
            INSERT INTO ledger.webhook_endpoints AS s
                (merchant_id, endpoint, seen_at, failures, failing_since, paused_until, reason)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (merchant_id, endpoint) DO UPDATE SET failures = excluded.failures,
                failing_since = CASE WHEN excluded.failures > 0 THEN coalesce(s.failing_since, excluded.failing_since) END,
                paused_until = excluded.paused_until,
                reason = CASE WHEN excluded.failures > 0 THEN coalesce(excluded.reason, s.reason) END
            """,
            [
                name.merchant, name.endpoint, time.postgres, Int32(clamping: failures),
                failures > 0 ? time.postgres : nil,
                failures > 0 ? (time + pause).postgres : nil, reason,
            ])
    }
}

extension WebhookStore.Leased {
    /// Holds the endpoint's row, which may not be there yet: of many first failures at once, one is the first.
    fileprivate func lockingEndpoint(_ time: Timestamp) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO ledger.webhook_endpoints AS s (merchant_id, endpoint, seen_at) VALUES ($1, $2, $3)
            ON CONFLICT (merchant_id, endpoint) DO UPDATE SET seen_at = s.seen_at RETURNING failures
            """, [name.merchant, name.endpoint, time.postgres])
    }

    /// A delivery to a server that takes everything writes nothing there.
    fileprivate var lockingFailingEndpoint: PostgresStatement {
        PostgresStatement(
            """
            SELECT failures FROM ledger.webhook_endpoints WHERE merchant_id = $1 AND endpoint = $2 AND failures > 0
            FOR UPDATE
            """, [name.merchant, name.endpoint])
    }

    fileprivate var lockingOrder: PostgresStatement { WebhookStore.lockingOrder(partition, order) }

    fileprivate func promoting(_ time: Timestamp) -> PostgresStatement {
        WebhookStore.promoting([(partition, order)], name.endpoint, at: time)
    }

    fileprivate func ending(
        _ verdict: WebhookRetry.Verdict, _ reason: String?, _ time: Timestamp
    ) -> PostgresStatement {
        let (state, due, failures): (String, Timestamp?, Int) =
            switch verdict {
            case .delivered: ("delivered", nil, self.failures)
            case .parked: ("parked", nil, self.failures + 1)
            case .retry(let pause): ("waiting", time + pause, self.failures + 1)
            case .released: ("waiting", time, self.failures)
            }
        return PostgresStatement(
            """
            UPDATE ledger.webhook_messages SET state = $6, due_at = $7, failures = $8, reason = coalesce($9, reason),
                ended_at = CASE WHEN $6 <> 'waiting' THEN $10::timestamptz END
            WHERE partition = $1 AND order_id = $2 AND endpoint = $3 AND message_id = $4 AND lease = $5
                AND state = 'waiting'
            """,
            [
                partition, order, name.endpoint, id, lease, state, due?.postgres, Int32(clamping: failures), reason,
                time.postgres,
            ])
    }
}

extension WebhookStore {
    /// Holds an order against the fold and other deliveries until the transaction ends.
    static func lockingOrder(_ partition: Int32, _ order: OrderID) -> PostgresStatement {
        PostgresStatement(
            "SELECT 1 FROM ledger.orders WHERE partition = $1 AND order_id = $2 FOR UPDATE", [partition, order])
    }

    /// Makes the first waiting message of each order due, unless one of the order is.
    static func promoting(
        _ orders: [(partition: Int32, order: OrderID)], _ endpoint: String, at time: Timestamp
    ) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE ledger.webhook_messages AS m SET due_at = $4
            FROM (SELECT n.partition, n.order_id, n.endpoint, n.message_id
                FROM unnest($1::integer[], $2::uuid[]) AS o(partition, order_id) CROSS JOIN LATERAL (
                    SELECT w.partition, w.order_id, w.endpoint, w.message_id FROM ledger.webhook_messages AS w
                    WHERE w.partition = o.partition AND w.order_id = o.order_id AND w.endpoint = $3
                        AND w.state = 'waiting'
                    ORDER BY w."offset", w.line LIMIT 1) AS n OFFSET 0) AS next
            WHERE m.partition = next.partition AND m.order_id = next.order_id AND m.endpoint = next.endpoint
                AND m.message_id = next.message_id
                AND NOT EXISTS (SELECT 1 FROM ledger.webhook_messages AS d WHERE d.partition = m.partition
                    AND d.order_id = m.order_id AND d.endpoint = $3 AND d.due_at IS NOT NULL)
            """, [orders.map { $0.partition }, orders.map { $0.order }, endpoint, time.postgres])
    }
}

extension WebhookName {
    /// From the columns `merchant_id` and `endpoint`.
    init(_ row: PostgresRow) throws {
        self.init(merchant: try row.identifier("merchant_id"), endpoint: try row.string("endpoint"))
    }
}

extension WebhookRetry.Verdict {
    fileprivate var isFailure: Bool {
        switch self {
        case .retry, .parked: true
        case .delivered, .released: false
        }
    }
}
