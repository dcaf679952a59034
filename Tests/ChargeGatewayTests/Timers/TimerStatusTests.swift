import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("An order whose timer cannot be fired", .timeLimit(.minutes(4)))
struct TimerStatusTests {
    @Test("is told in /readyz, holds up no other, and goes on when it is mended")
    func alone() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let (sick, sound) = (Shop.order(), Shop.order())
            try await gateway.take([.charge(try gateway.shop.charge(sick)), .charge(try gateway.shop.charge(sound))])
            let currency = try await gateway.column("currency", of: sick)
            try await set(currency: "XX", of: sick, gateway)
            let shutdown = GracefulShutdown()
            let timers = gateway.timers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await timers.run() } }
                try await gateway.wait(for: "succeeded", of: sound)
                var reason: String? { gateway.readiness.report.components["timers"]?.reason }
                try await eventually { reason?.contains("\(sick)") == true }
                #expect(!gateway.readiness.report.isReady)
                try await set(currency: currency, of: sick, gateway)
                try await gateway.wait(for: "succeeded", of: sick)
                try await eventually { gateway.readiness.report.isReady }
                shutdown.begin()
                try await group.waitForAll()
            }
        }
    }

    private func set(currency: String?, of order: OrderID, _ gateway: TestGateway) async throws {
        try await gateway.owner.execute(
            "UPDATE gateway.operations SET currency = $1 WHERE order_id = $2", [currency, order])
    }
}
