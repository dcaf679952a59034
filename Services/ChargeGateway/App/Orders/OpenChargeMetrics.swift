import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Counts the charges, captures, voids and refunds that wait for an end, by phase, with the age of the oldest: what an
/// operator looks at first.
///
/// Every instance counts the whole database, so that dashboards take the maximum over them.
struct OpenChargeMetrics: Service {
    private let pool: PostgresPool
    private let loop: PostgresCountLoop
    private let counts: [OperationPhase: Gauge]
    private let ages: [OperationPhase: Gauge]
    private let followUpCounts: [FollowUpPhase: Gauge]
    private let followUpAges: [FollowUpPhase: Gauge]

    private struct FollowUpPhase: Hashable {
        let kind: FollowUpKind
        let phase: OperationPhase
    }

    /// - Parameters:
    ///   - interval: between two counts.
    ///   - readiness: told while the gauges are old.
    init(
        _ registry: MetricsRegistry, pool: PostgresPool, every interval: Duration = .seconds(15), readiness: Readiness
    ) {
        self.pool = pool
        loop = PostgresCountLoop("open charges", every: interval, readiness: readiness)
        let phases = OperationPhase.allCases.filter(\.isLive)
        func gauges(_ name: String, _ help: String) -> [OperationPhase: Gauge] {
            Dictionary(
                uniqueKeysWithValues: phases.map {
                    ($0, registry.gauge(name, help: help, labels: [("phase", $0.rawValue)]))
                })
        }
        counts = gauges("charge_gateway_open_charges", "Charges without an end, in the whole database.")
        ages = gauges(
            "charge_gateway_oldest_open_charge_age_seconds", "Since Apple signed the oldest charge without an end.")
        let followUps = FollowUpKind.allCases.flatMap { kind in phases.map { FollowUpPhase(kind: kind, phase: $0) } }
        func gauges(_ name: String, _ help: String, of followUps: [FollowUpPhase]) -> [FollowUpPhase: Gauge] {
            Dictionary(
                uniqueKeysWithValues: followUps.map {
                    (
                        $0,
                        registry.gauge(
                            name, help: help, labels: [("kind", $0.kind.rawValue), ("phase", $0.phase.rawValue)])
                    )
                })
        }
        followUpCounts = gauges(
            "charge_gateway_open_follow_ups", "Captures, voids and refunds without an end, in the whole database.",
            of: followUps)
        followUpAges = gauges(
            "charge_gateway_oldest_open_follow_up_age_seconds", "Since the oldest one without an end was asked for.",
            of: followUps)
    }

    func run() async throws { await loop.run { try await count() } }

    /// One look at the database.
    func count() async throws {
        try await countCharges()
        try await countFollowUps()
    }

    private func countFollowUps() async throws {
        let rows = try await pool.withConnection {
            try await $0.query(
                """
                SELECT kind, phase, count(*) AS follow_ups,
                    coalesce(extract(epoch FROM clock_timestamp() - min(caused_at) FILTER (WHERE isfinite(caused_at))), 0)
                        ::double precision AS age
                FROM gateway.follow_ups
                WHERE is_live GROUP BY kind, phase
                """)
        }
        var found: [FollowUpPhase: (count: Double, age: Double)] = [:]
        for row in rows {
            let place = FollowUpPhase(kind: try row.word("kind"), phase: try row.word("phase"))
            found[place] = (Double(try row.int64("follow_ups")), max(try row.double("age"), 0))
        }
        for (place, gauge) in followUpCounts { gauge.set(found[place]?.count ?? 0) }
        for (place, gauge) in followUpAges { gauge.set(found[place]?.age ?? 0) }
    }

    private func countCharges() async throws {
        let rows = try await pool.withConnection {
            try await $0.query(
                """
                SELECT phase, count(*) AS charges,
                    coalesce(extract(epoch FROM clock_timestamp() - min(signed_at) FILTER (WHERE isfinite(signed_at))), 0)
                        ::double precision AS age
                FROM gateway.operations
                WHERE is_live GROUP BY phase
                """)
        }
        var found: [OperationPhase: (charges: Double, age: Double)] = [:]
        for row in rows {
            let phase: OperationPhase = try row.word("phase")
            found[phase] = (Double(try row.int64("charges")), max(try row.double("age"), 0))
        }
        for (phase, gauge) in counts { gauge.set(found[phase]?.charges ?? 0) }
        for (phase, gauge) in ages { gauge.set(found[phase]?.age ?? 0) }
    }
}
