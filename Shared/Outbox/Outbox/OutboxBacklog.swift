import OrchardPostgres
import OrchardServiceKit

/// Reports how many events wait in the outbox, and for how long the oldest: whether the relay keeps up.
///
/// Its cost does not grow with the backlog: it reads the first event of each stream, and counts no further than
/// ``exactCount``. Every instance counts the whole table: dashboards take the maximum over the instances.
public struct OutboxBacklog: Service {
    /// Up to here the events are counted; above, the server's own estimate is reported.
    static let exactCount: Int64 = 10_000

    private let outbox: Outbox
    private let database: PostgresPool
    private let loop: PostgresCountLoop
    private let events: Gauge
    private let age: Gauge

    /// - Parameters:
    ///   - interval: between two measurements.
    ///   - readiness: reports when the events cannot be counted.
    public init(
        _ outbox: Outbox, database: PostgresPool, every interval: Duration = .seconds(15), readiness: Readiness,
        metrics: MetricsRegistry
    ) {
        self.outbox = outbox
        self.database = database
        loop = PostgresCountLoop("waiting events", every: interval, readiness: readiness)
        events = metrics.gauge(
            "orchard_outbox_waiting_events",
            help: "Events that Kafka has not acknowledged yet, in the whole database; above 10,000 an estimate.")
        age = metrics.gauge(
            "orchard_outbox_oldest_event_age_seconds", help: "For how long the oldest of them waits; 0 when none does.")
    }

    /// Checks until the service stops.
    public func run() async throws { await loop.run(count) }

    /// Checks the table once. (A recursive query steps from one stream's first event to the next one's in the index.)
    func count() async throws {
        let rows = try await database.withConnection { connection in
            try await connection.query(
                """
                WITH RECURSIVE first AS (
                    (SELECT partition, topic, created_at FROM \(outbox.schema).outbox
                        ORDER BY partition, topic, position LIMIT 1)
                    UNION ALL
                    SELECT next.partition, next.topic, next.created_at FROM first CROSS JOIN LATERAL (
                        SELECT partition, topic, created_at FROM \(outbox.schema).outbox AS o
                        WHERE (o.partition, o.topic) > (first.partition, first.topic)
                        ORDER BY partition, topic, position LIMIT 1) AS next)
                SELECT (SELECT count(*) FROM (SELECT FROM \(outbox.schema).outbox LIMIT $1) AS events) AS counted,
                    pg_stat_get_live_tuples('\(outbox.schema).outbox'::regclass) AS estimate,
                    coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(created_at) FROM first WHERE isfinite(created_at))), 0)
                        ::double precision AS age
                """, [Self.exactCount])
        }
        guard let row = rows.first else { return }
        let counted = try row.int64("counted")
        events.set(Double(counted < Self.exactCount ? counted : max(counted, try row.int64("estimate"))))
        age.set(max(try row.double("age"), 0))
    }
}
