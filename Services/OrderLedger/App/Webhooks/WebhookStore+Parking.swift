import Contracts
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension WebhookStore {
    /// Messages of one transaction.
    static let portion = 500

    /// How an endpoint is, and what waits for it.
    struct Endpoint: Hashable, Sendable {
        let name: WebhookName
        /// When its oldest waiting message was first to be sent; nil when none waits.
        var oldest: Timestamp?
        /// When a worker last had it in its `merchants.json`; nil when none has said so.
        var seenAt: Timestamp?
        var failingSince: Timestamp?
        /// Why it failed last.
        var reason: String?
    }

    /// Every endpoint that has a row or a waiting message. A recursive query steps from one endpoint's oldest message to
    /// the next one's in the index.
    func endpoints() async throws -> [Endpoint] {
        let results = try await database.withConnection { connection in
            try await connection.pipeline([
                PostgresStatement(
                    "SELECT merchant_id, endpoint, seen_at, failing_since, reason FROM ledger.webhook_endpoints"),
                PostgresStatement(
                    """
                    WITH RECURSIVE first AS (
                        (SELECT merchant_id, endpoint, tried_from FROM ledger.webhook_messages WHERE state = 'waiting'
                            ORDER BY merchant_id, endpoint, tried_from LIMIT 1)
                        UNION ALL
                        SELECT next.merchant_id, next.endpoint, next.tried_from FROM first CROSS JOIN LATERAL (
                            SELECT merchant_id, endpoint, tried_from FROM ledger.webhook_messages AS m
                            WHERE m.state = 'waiting' AND (m.merchant_id, m.endpoint) > (first.merchant_id, first.endpoint)
                            ORDER BY merchant_id, endpoint, tried_from LIMIT 1) AS next)
                    SELECT merchant_id, endpoint, tried_from FROM first
                    """),
            ])
        }
        var endpoints: [WebhookName: Endpoint] = [:]
        func damaged(_ row: PostgresRow, _ error: any Error) {
            logger.error("an endpoint of webhooks cannot be looked at, its row is damaged: \(error)")
        }
        let known = results[0].rows.reading(
            { row in
                Endpoint(
                    name: try WebhookName(row), seenAt: try row.time("seen_at"),
                    failingSince: try row.optionalTime("failing_since"), reason: try row.optionalString("reason"))
            }, damaged: damaged)
        for endpoint in known { endpoints[endpoint.name] = endpoint }
        let oldest = results[1].rows.reading({ (try WebhookName($0), try $0.time("tried_from")) }, damaged: damaged)
        for (name, time) in oldest { endpoints[name, default: Endpoint(name: name)].oldest = time }
        return endpoints.values.sorted { $0.name < $1.name }
    }

    /// Notes that a worker has these endpoints in its `merchants.json`.
    func note(_ names: [WebhookName], at time: Timestamp) async throws {
        guard !names.isEmpty else { return }
        let names = names.sorted()
        try await database.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO ledger.webhook_endpoints AS s (merchant_id, endpoint, seen_at)
                SELECT e.merchant_id, e.endpoint, $3 FROM unnest($1::uuid[], $2::text[]) AS e(merchant_id, endpoint)
                ON CONFLICT (merchant_id, endpoint) DO UPDATE SET seen_at = excluded.seen_at
                    WHERE s.seen_at < excluded.seen_at - interval '1 minute'
                """, [names.map(\.merchant), names.map(\.endpoint), time.postgres])
        }
    }

    /// Parks what waits for an endpoint, and makes due what then is the first of its order.
    ///
    /// - Parameters:
    ///   - end: only messages that were to be sent up to then.
    ///   - reason: for the list.
    /// - Returns: how many messages.
    func park(_ name: WebhookName, upTo end: Timestamp, because reason: String, at time: Timestamp) async throws -> Int
    {
        var (parked, count) = (0, Self.portion)
        while count == Self.portion {
            (count, parked) = try await database.withTransaction { connection in
                let (found, changed) = try await parkSome(name, end, reason, time, on: connection)
                return (found, parked + changed)
            }
        }
        return parked
    }

    private func parkSome(
        _ name: WebhookName, _ end: Timestamp, _ reason: String, _ time: Timestamp, on connection: PostgresConnection
    ) async throws -> (found: Int, changed: Int) {
        let rows = try await connection.query(
            """
            SELECT partition, order_id, message_id FROM ledger.webhook_messages
            WHERE merchant_id = $1 AND endpoint = $2 AND state = 'waiting' AND tried_from <= $3
            ORDER BY tried_from LIMIT \(Self.portion)
            """, [name.merchant, name.endpoint, end.postgres])
        guard !rows.isEmpty else { return (0, 0) }
        let keys = try rows.map { row in
            (
                partition: try row.int32("partition"), order: try row.identifier("order_id") as OrderID,
                message: try row.identifier("message_id") as EventID
            )
        }
        let orders = Dictionary(keys.map { ($0.order, $0.partition) }) { first, _ in first }
            .map { (partition: $1, order: $0) }.sorted { ($0.partition, $0.order) < ($1.partition, $1.order) }
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT o.order_id FROM unnest($1::integer[], $2::uuid[]) AS wanted(partition, id) CROSS JOIN LATERAL (
                    SELECT order_id FROM ledger.orders
                    WHERE partition = wanted.partition AND order_id = wanted.id FOR UPDATE) AS o
                """, [orders.map { $0.partition }, orders.map { $0.order }]),
            PostgresStatement(
                """
                UPDATE ledger.webhook_messages AS m SET state = 'parked', due_at = NULL, reason = $5, ended_at = $6
                FROM unnest($1::integer[], $2::uuid[], $3::uuid[]) AS key(partition, order_id, message_id)
                WHERE m.partition = key.partition AND m.order_id = key.order_id AND m.endpoint = $4
                    AND m.message_id = key.message_id AND m.state = 'waiting'
                """,
                [
                    keys.map { $0.partition }, keys.map { $0.order }, keys.map { $0.message }, name.endpoint, reason,
                    time.postgres,
                ]),
            Self.promoting(orders, name.endpoint, at: time),
        ])
        return (rows.count, Int(results[1].affectedRows))
    }

    /// Deletes messages that ended before a time.
    func prune(before time: Timestamp) async throws {
        var count = Int64(Self.portion)
        while count == Int64(Self.portion) {
            count = try await database.withConnection { connection in
                Int64(
                    try await connection.execute(
                        """
                        DELETE FROM ledger.webhook_messages AS m USING (
                            SELECT partition, order_id, endpoint, message_id FROM ledger.webhook_messages
                            WHERE ended_at < $1 ORDER BY ended_at LIMIT \(Self.portion) FOR UPDATE SKIP LOCKED) AS old
                        WHERE m.partition = old.partition AND m.order_id = old.order_id AND m.endpoint = old.endpoint
                            AND m.message_id = old.message_id
                        """, [time.postgres]))
            }
        }
    }

    /// A restored database: what waits may have been sent by the one that was lost, and what that one had folded it has
    /// told.
    ///
    /// - Parameter offset: the first fact of the partition that the lost database had not folded.
    static func setBegin(of partition: Int32, to offset: Int64, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([
            PostgresStatement(
                """
                INSERT INTO ledger.webhook_starts (partition, first_offset) VALUES ($1, $2)
                ON CONFLICT (partition) DO UPDATE SET first_offset = excluded.first_offset
                """, [partition, offset]),
            PostgresStatement(
                """
                UPDATE ledger.webhook_messages SET state = 'parked', due_at = NULL, ended_at = clock_timestamp(),
                    reason = 'the database was restored: the lost one may have sent it'
                WHERE partition = $1 AND state = 'waiting'
                """, [partition]),
        ])
    }
}
