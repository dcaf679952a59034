import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import Outbox

@Suite("The backlog of the outbox", .timeLimit(.minutes(4)))
struct OutboxBacklogTests {
    @Test func `is counted with the age of the oldest event of all streams, and begins at zero`() async throws {
        try await ServiceDatabase.with { database in
            let (metrics, pool) = try pool(database)
            let outbox = Outbox(schema: "shop", stream: "shop")
            let backlog = OutboxBacklog(outbox, database: pool, readiness: Readiness(), metrics: metrics)
            let waiting = metrics.gauge("orchard_outbox_waiting_events", help: "")
            let age = metrics.gauge("orchard_outbox_oldest_event_age_seconds", help: "")
            try await running(pool) {
                try await backlog.count()
                #expect(waiting.value == 0)
                #expect(age.value == 0)
                let owner = try await PostgresConnection.connect(database.owner)
                // Three streams; the oldest event is the second one's.
                try await owner.script(
                    """
                    INSERT INTO shop.outbox (partition, event_id, topic, key, headers, value, created_at)
                    SELECT p, t || n, t, '', '', '', clock_timestamp() - make_interval(secs => 10 * (n + p))
                    FROM (VALUES (0, 'facts'), (3, 'facts'), (1, 'orders')) AS stream(p, t), generate_series(1, 4) AS n
                    ORDER BY n DESC
                    """)
                try await backlog.count()
                #expect(waiting.value == 12)
                #expect((70..<100).contains(age.value), "\(age.value)")
                try await owner.script("UPDATE shop.outbox SET created_at = '-infinity' WHERE partition = 0")
                try await backlog.count()
                #expect((70..<100).contains(age.value), "\(age.value), whatever a damaged row says")
                try await owner.script("DELETE FROM shop.outbox WHERE partition = 3")
                try await backlog.count()
                #expect(waiting.value == 8)
                #expect((50..<70).contains(age.value), "\(age.value)")
                await owner.close()
            }
        }
    }

    @Test func `is an estimate above ten thousand`() async throws {
        try await ServiceDatabase.with { database in
            let (metrics, pool) = try pool(database)
            let outbox = Outbox(schema: "shop", stream: "shop")
            let backlog = OutboxBacklog(outbox, database: pool, readiness: Readiness(), metrics: metrics)
            let waiting = metrics.gauge("orchard_outbox_waiting_events", help: "")
            try await running(pool) {
                let owner = try await PostgresConnection.connect(database.owner)
                try await owner.script(
                    """
                    INSERT INTO shop.outbox (partition, event_id, topic, key, headers, value)
                    SELECT n % 4, 'e' || n, 'facts', '', '', '' FROM generate_series(1, 30000) AS n;
                    ANALYZE shop.outbox
                    """)
                await owner.close()
                // The server's estimate arrives a moment later.
                try await eventually {
                    try await backlog.count()
                    return waiting.value > 10_000
                }
                #expect((20_000...40_000).contains(waiting.value), "\(waiting.value)")
            }
        }
    }

    @Test func `is told in /readyz while it cannot be counted`() async throws {
        try await ServiceDatabase.with { database in
            let (metrics, pool) = try pool(database)
            let readiness = Readiness()
            let backlog = OutboxBacklog(
                Outbox(schema: "shop", stream: "shop"), database: pool, every: .milliseconds(20), readiness: readiness,
                metrics: metrics)
            try await running(pool) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await backlog.run() }
                    defer { group.cancelAll() }
                    let owner = try await PostgresConnection.connect(database.owner)
                    try await owner.script("ALTER TABLE shop.outbox RENAME TO moved")
                    try await eventually { readiness.report.components["waiting events"]?.isReady == false }
                    try await owner.script("ALTER TABLE shop.moved RENAME TO outbox")
                    try await eventually { readiness.report.components["waiting events"]?.isReady == true }
                    await owner.close()
                }
            }
        }
    }

    private func pool(_ database: ServiceDatabase) throws -> (MetricsRegistry, PostgresPool) {
        let metrics = MetricsRegistry()
        return (
            metrics,
            PostgresPool(
                database.configuration, logger: Logger(label: "test"), metrics: metrics, readiness: Readiness())
        )
    }

    private func running(_ pool: PostgresPool, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pool.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }
}
