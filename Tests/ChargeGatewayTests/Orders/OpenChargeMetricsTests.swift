import Contracts
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("OpenChargeMetrics")
struct OpenChargeMetricsTests {
    @Test("counts charges without an end by phase, and begins at zero")
    func phases() async throws {
        let acquirer = ScriptedAcquirer([.hang])
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let registry = MetricsRegistry()
            let metrics = OpenChargeMetrics(registry, pool: gateway.pool, logger: gateway.logger)
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="unknown"} 0"#))
            try await gateway.take([
                .charge(try gateway.shop.charge(Shop.order())), .charge(try gateway.shop.charge(Shop.order())),
            ])
            try await metrics.count()
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="created"} 2"#))
            let age = registry.gauge(
                "charge_gateway_oldest_open_charge_age_seconds", help: "", labels: [("phase", "created")])
            #expect(age.value > 0)
            try await gateway.owner.execute("UPDATE gateway.operations SET phase = 'declined'")
            try await metrics.count()
            #expect(registry.expose().contains(#"charge_gateway_open_charges{phase="created"} 0"#))
            #expect(age.value == 0)
        }
    }
}
