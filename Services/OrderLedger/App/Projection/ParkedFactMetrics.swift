import OrchardPostgres
import OrchardServiceKit

/// Counts the facts that wait for a fact of another producer. It runs beside the fold: counting in each batch would
/// cost more with each waiting fact.
///
/// Every instance counts the whole database: dashboards take the maximum over instances.
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

    /// Counts once.
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
