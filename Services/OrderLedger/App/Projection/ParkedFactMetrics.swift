import OrchardPostgres
import OrchardServiceKit

/// Counts the facts that wait for another producer's, beside the fold: a batch that counted them would cost more with
/// each fact that waits.
///
/// Every instance counts the whole database, so that dashboards take the maximum over them.
struct ParkedFactMetrics: Service {
    private let database: PostgresPool
    private let metrics: LedgerMetrics
    private let loop: PostgresCountLoop
    /// Partitions whose gauge is not 0.
    private let waiting = Locked<Set<Int32>>([])

    init(
        database: PostgresPool, metrics: LedgerMetrics, readiness: Readiness, every interval: Duration = .seconds(15)
    ) {
        self.database = database
        self.metrics = metrics
        loop = PostgresCountLoop("parked facts", every: interval, readiness: readiness)
    }

    func run() async throws { await loop.run { try await count() } }

    /// One look at the database.
    func count() async throws {
        let rows = try await database.withConnection {
            try await $0.query("SELECT partition, count(*) AS facts FROM ledger.parked_facts GROUP BY partition")
        }
        var found: [Int32: Int64] = [:]
        for row in rows { found[try row.int32("partition")] = try row.int64("facts") }
        let before = waiting.withLock { waiting in
            defer { waiting = Set(found.keys) }
            return waiting
        }
        for partition in before.subtracting(found.keys) { metrics.parked(partition).set(0) }
        for (partition, facts) in found { metrics.parked(partition).set(Double(facts)) }
    }
}
