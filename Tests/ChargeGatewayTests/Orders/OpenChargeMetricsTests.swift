import Contracts
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("OpenChargeMetrics", .timeLimit(.minutes(10)))
struct OpenChargeMetricsTests {
    @Test("counts charges without an end by phase, and begins at zero")
    func phases() async throws {
        let acquirer = ScriptedAcquirer([.hang])
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let registry = MetricsRegistry()
            let metrics = OpenChargeMetrics(registry, pool: gateway.pool, readiness: gateway.readiness)
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="unknown"} 0"#))
            try await gateway.take([
                .charge(try gateway.shop.charge(Shop.order())), .charge(try gateway.shop.charge(Shop.order())),
            ])
            try await metrics.count()
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="created"} 2"#))
            let age = registry.gauge(
                "charge_gateway_oldest_open_charge_age_seconds", help: "", labels: [("phase", "created")])
            #expect(age.value > 0)
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET signed_at = '-infinity' WHERE order_id = (SELECT min(order_id::text)::uuid "
                    + "FROM gateway.operations)")
            try await metrics.count()
            #expect(age.value > 0 && age.value.isFinite, "a damaged row hides no other")
            try await gateway.owner.execute("UPDATE gateway.operations SET phase = 'declined'")
            try await metrics.count()
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="created"} 0"#))
            #expect(age.value == 0)
        }
    }

    @Test("tells in /readyz while charges cannot be counted, and the gauges are old")
    func failure() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let metrics = OpenChargeMetrics(
                MetricsRegistry(), pool: gateway.pool, every: .milliseconds(20), readiness: gateway.readiness)
            var component: ReadinessReport.Component? { gateway.readiness.report.components["open charges"] }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await metrics.run() }
                defer { group.cancelAll() }
                try await gateway.owner.execute("REVOKE SELECT ON gateway.operations FROM gateway_service")
                try await eventually { component?.isReady == false }
                #expect(component?.reason.contains("their metrics are old") == true)
                try await gateway.owner.execute("GRANT SELECT ON gateway.operations TO gateway_service")
                try await eventually { component?.isReady == true }
            }
        }
    }
}
