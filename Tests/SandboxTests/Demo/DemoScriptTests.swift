import Contracts
import Testing

@testable import SandboxAcquirer
@testable import SandboxDemo

@Suite("The script of the day")
struct DemoScriptTests {
    @Test("is the same for the same seed, another for another")
    func seed() {
        let day = DemoScript(seed: 5, size: 200).orders.map(\.totals)
        #expect(day == DemoScript(seed: 5, size: 200).orders.map(\.totals))
        #expect(day != DemoScript(seed: 6, size: 200).orders.map(\.totals))
    }

    @Test("has every scenario, for both merchants and both schemes", arguments: [200, 220, 400])
    func everything(size: Int) {
        let orders = DemoScript(seed: 1, size: size).orders
        #expect(orders.count == size)
        #expect(Set(orders.map(\.scenario)) == Set(Scenario.allCases))
        #expect(Set(orders.map(\.merchant)) == [0, 1])
        #expect(Set(orders.filter { $0.scenario == .charged }.map(\.usesRSA)) == [true, false])
    }

    @Test("names the acquirer's faults as the acquirer's book does", arguments: Scenario.allCases)
    func faults(scenario: Scenario) {
        guard let fault = scenario.fault else { return }
        #expect(FaultTable.fault(forAmount: fault.digits).name == fault.name)
    }

    @Test("makes the acquirer misbehave only where the scenario says so")
    func amounts() {
        for order in DemoScript(seed: 2, size: 1_000).orders {
            let due = order.totals.total
            #expect(order.scenario.fault.map { due % 1_000 == $0.digits } ?? (due % 1_000 < 700))
            guard let changed = order.changedTotals else { continue }
            #expect(changed.total % 1_000 < 700)
            #expect(order.scenario == .coupon ? changed.total < due : changed.total > due)
        }
    }
}
