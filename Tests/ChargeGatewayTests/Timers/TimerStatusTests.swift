import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("An order whose timer cannot be fired", .timeLimit(.minutes(10)))
struct TimerStatusTests {
    @Test("is told no more when it was stepped elsewhere meanwhile")
    func elsewhere() {
        let readiness = Readiness()
        let status = TimerStatus(readiness: readiness, logger: Logger(label: "test"))
        let order = Shop.order()
        let error = StoreError(.malformed, at: "currency", "damaged")
        while readiness.report.components["timers"]?.isReady != false { _ = status.cannotFire(order, error) }
        status.sweepSucceeded { $0 == order }
        #expect(readiness.report.components["timers"]?.isReady == false)
        status.sweepSucceeded { _ in false }
        #expect(readiness.report.isReady)
    }

    @Test(
        "is told in /readyz, holds up no other, and goes on when it is mended",
        arguments: [
            ("operations SET currency = 'XX'", "operations SET currency = 'CNY'"),
            ("operations SET sends = 1", "operations SET sends = 0"),
            ("orders SET due_at = '-infinity'", "orders SET due_at = now()"),
            (
                "orders SET due_account = due_account || repeat(U&'\\0300', 31)",
                "orders SET due_account = rtrim(due_account, U&'\\0300')"
            ),
        ])
    func alone(_ damage: String, _ mend: String) async throws {
        let (damage, mend) = (
            "UPDATE gateway.\(damage) WHERE order_id = $1", "UPDATE gateway.\(mend) WHERE order_id = $1"
        )
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let (sick, sound) = (Shop.order(), Shop.order())
            try await gateway.take([.charge(try gateway.shop.charge(sick)), .charge(try gateway.shop.charge(sound))])
            try await gateway.owner.execute(damage, [sick])
            let shutdown = GracefulShutdown()
            let timers = gateway.timers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await timers.run() } }
                try await gateway.wait(for: "succeeded", of: sound)
                var reason: String? { gateway.readiness.report.components["timers"]?.reason }
                try await eventually { reason?.contains("\(sick)") == true }
                #expect(!gateway.readiness.report.isReady)
                try await gateway.owner.execute(mend, [sick])
                try await gateway.wait(for: "succeeded", of: sick)
                try await eventually { gateway.readiness.report.isReady }
                shutdown.begin()
                try await group.waitForAll()
            }
        }
    }
}
