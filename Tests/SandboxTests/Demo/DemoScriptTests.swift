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

    @Test("takes above a hold at most what is allowed, and sets final lines within that")
    func captures() {
        for order in DemoScript(seed: 4, size: 2_000).orders {
            let hold = order.totals.total
            for step in order.followUps where step.entries == 2 {
                let taken = step.change(of: 0)
                #expect(taken > 0 && taken * 100 <= hold * 115)
                if order.scenario == .capturedAbove { #expect(taken > hold * 114 / 100) }
                if order.scenario == .finalised { #expect(taken != hold) }
            }
        }
    }

    @Test("makes the acquirer misbehave towards a refund only where the scenario says so")
    func refunds() {
        for order in DemoScript(seed: 2, size: 2_000).orders {
            for case .refund(let amount) in order.followUps {
                #expect(amount > 0 && amount < order.totals.total)
                #expect(order.scenario.refundFault.map { amount % 1_000 == $0.digits } ?? (amount % 1_000 < 700))
            }
            if let fault = order.scenario.refundFault {
                #expect(FaultTable.fault(forAmount: fault.digits).name == fault.name)
            }
        }
    }

    @Test("asks for two refunds at once that cannot both be given, and neither makes the acquirer misbehave")
    func twoRefunds() {
        var count = 0
        for order in DemoScript(seed: 1, size: 10_000).orders {
            for case .twoRefunds(let amount) in order.followUps {
                count += 1
                let total = order.totals.total
                #expect(amount * 2 > total && amount <= total && amount % 1_000 < 700, "\(amount) of \(total)")
            }
        }
        #expect(count > 0)
    }

    @Test("expects each sale, capture, refund and void in the acquirer's file once", arguments: Scenario.allCases)
    func filed(scenario: Scenario) throws {
        let order = try #require(DemoScript(seed: 1, size: 220).orders.first { $0.scenario == scenario })
        let end = order.allowedEnds[0]
        let charged = end.payments.reduce(0) { $0 + $1.charged }
        let rows = order.filed(charged: charged, isVoided: end.state == .voided)
        let taken = (rows["01"] ?? []) + (rows["03"] ?? [])
        let returned = (rows["04"] ?? []) + (rows["31"] ?? [])
        #expect(taken.reduce(0, +) - returned.reduce(0, +) == order.kept(charged: charged))
        #expect(rows.values.allSatisfy { $0.allSatisfy { $0 > 0 } })
        #expect((rows["01"] ?? []) == (charged > 0 ? [charged] : []))
        let counts: [Scenario: [String: Int]] = [
            .partialRefunds: ["04": 2], .twoRefunds: ["04": 1], .voided: ["31": 1], .voidedLate: ["04": 1],
            .lateSuccess: ["04": 1], .finalised: ["03": 1], .holdVoided: [:],
        ]
        if let counts = counts[scenario] { #expect(rows.mapValues(\.count).filter { $0.key != "01" } == counts) }
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
