import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("ParkedFactMetrics")
struct ParkedFactMetricsTests {
    @Test("counts the waiting facts of each partition, and 0 when none wait any more")
    func counts() async throws {
        try await TestLedger.with { ledger in
            let registry = MetricsRegistry()
            let readiness = Readiness()
            let metrics = LedgerMetrics(registry)
            let parked = ParkedFactMetrics(database: ledger.database, metrics: metrics, readiness: readiness)
            try await ledger.owner.execute(
                """
                INSERT INTO ledger.parked_facts (partition, "offset", order_id)
                SELECT n % 2, n, gen_random_uuid() FROM generate_series(1, 5) AS n
                """)
            try await parked.count()
            #expect(metrics.parked(0).value == 2)
            #expect(metrics.parked(1).value == 3)
            try await ledger.owner.execute("DELETE FROM ledger.parked_facts WHERE partition = 1")
            try await parked.count()
            #expect(metrics.parked(0).value == 2)
            #expect(metrics.parked(1).value == 0)
            #expect(readiness.report.components["parked facts"] == nil)
        }
    }
}
