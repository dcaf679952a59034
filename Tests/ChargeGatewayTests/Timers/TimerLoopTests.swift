import Charging
import Contracts
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("The loop that fires timers", .timeLimit(.minutes(10)))
struct TimerLoopTests {
    @Test("fires what its process stepped at its time, without looking at the database for it")
    func known() async throws {
        let acquirer = ScriptedAcquirer([.loseAnswer])
        try await TestGateway.with([acquirer], sweeps: .seconds(3_600)) { gateway in
            let orders = (0..<40).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            for order in orders { try await gateway.wait(for: "succeeded", of: order) }
        }
    }

    @Test("takes a slot that comes back for who waits, without looking at the database for it")
    func slots() async throws {
        let acquirer = ScriptedAcquirer()
        let limits = RequestLimiter.Limits(acquirer: 2, account: 2)
        try await TestGateway.with([acquirer], limits: limits, sweeps: .seconds(3_600)) { gateway in
            let orders = (0..<20).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            for order in orders { try await gateway.wait(for: "succeeded", of: order) }
            #expect(acquirer.received.count == 20)
        }
    }

    @Test("finds what nobody told it, all of it, by sweeps")
    func unknown() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let orders = (0..<(DueSweep.ofQueue + 72)).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                for order in orders { try await gateway.wait(for: "succeeded", of: order) }
                group.cancelAll()
            }
            #expect(acquirer.received.count == orders.count)
        }
    }
}
