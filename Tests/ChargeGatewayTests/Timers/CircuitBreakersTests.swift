import Charging
import Contracts
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Charges of an account where no send can succeed", .timeLimit(.minutes(10)))
struct CircuitBreakersTests {
    @Test("wait before their intent; queries pass, a probe ends it, and operators are told")
    func held() async throws {
        let acquirer = ScriptedAcquirer([.loseAnswer, .refuseSignature])
        // Long: the third charge must come while the breaker is open.
        try await TestGateway.with([acquirer], breakerWait: .seconds(15), hasTimers: false) { gateway in
            func fire(_ order: OrderID, _ step: NextStep.Kind) async {
                let due = DueOrder(order: order, partition: 0, step: step, acquirer: "unionpay", account: Shop.account)
                _ = await gateway.executor.fire(due) {}
            }
            let (asked, refused, held) = (Shop.order(), Shop.order(), Shop.order())
            for (number, order) in [asked, refused, held].enumerated() {
                try await gateway.take([.charge(try gateway.shop.charge(order))], from: Int64(number))
                await fire(order, .send)
            }
            #expect(try await gateway.story(of: refused) == ["accepted", "declined: configuration"])
            #expect(acquirer.received.count == 2, "the third was not sent")
            #expect(try await gateway.story(of: held) == ["accepted"])
            #expect(try await gateway.column("sends", of: held) == "0")
            #expect(try await gateway.column("next_at > now()", of: held) == "true")
            let component = "sends to unionpay, account \(Shop.account)"
            let published = try #require(gateway.readiness.report.components[component])
            #expect(
                !published.isReady
                    && published.reason.contains("check its signing key and certificate in merchants.json"))
            #expect(
                gateway.metrics.expose().contains(
                    "charge_gateway_circuit_open{account=\"\(Shop.account)\",acquirer=\"unionpay\"} 1"))

            try await eventually {
                await fire(asked, .query)
                return try await gateway.turns(of: asked).last == "succeeded"
            }
            try await eventually {
                await fire(held, .send)
                await fire(held, .query)
                return try await gateway.turns(of: held).last == "succeeded"
            }
            #expect(gateway.readiness.report.components[component]?.isReady == true)
            #expect(
                gateway.metrics.expose().contains(
                    "charge_gateway_circuit_open{account=\"\(Shop.account)\",acquirer=\"unionpay\"} 0"))
        }
    }
}
