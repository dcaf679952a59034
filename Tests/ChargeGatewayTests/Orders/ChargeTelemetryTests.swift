import Acquirers
import Charging
import Contracts
import OrchardServiceKit
import Testing

@testable import ChargeGateway

@Suite("The metrics of charges")
struct ChargeTelemetryTests {
    private let registry = MetricsRegistry()

    @Test("begin at zero with every series that can be named before")
    func zero() {
        _ = ChargeTelemetry(registry, logger: Logger(label: "test"))
        let lines = Set(registry.expose().split(separator: "\n"))
        let notifications =
            ["heard", "unavailable", "unknownOrder", "busy"] + NotificationError.Code.allCases.map(\.rawValue)
        for outcome in notifications {
            #expect(lines.contains("charge_gateway_notifications_total{outcome=\"\(outcome)\"} 0"))
        }
        for reason in DeclineReason.allCases {
            #expect(lines.contains("charge_gateway_facts_total{event=\"declined\",reason=\"\(reason.rawValue)\"} 0"))
        }
        for outcome in ["answered", "notSent", "unsendable", "unknown"] { expectExchange("send", outcome, in: lines) }
        for outcome in ["answered", "failed", "misconfigured"] { expectExchange("query", outcome, in: lines) }
    }

    private func expectExchange(_ kind: String, _ outcome: String, in lines: Set<Substring>) {
        let labels = "{kind=\"\(kind)\",outcome=\"\(outcome)\"}"
        #expect(lines.contains("charge_gateway_acquirer_exchange_duration_seconds_count\(labels) 0"))
    }
}
