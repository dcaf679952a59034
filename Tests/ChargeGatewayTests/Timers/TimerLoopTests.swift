import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
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

    @Test("does not lock an order that another process has brought to its end")
    func answeredElsewhere() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            try await gateway.wait(for: "succeeded", of: order)
            let due = DueOrder(order: order, partition: 0, step: .query, acquirer: "unionpay", account: Shop.account)
            // A lock leaves its transaction in the row.
            func lock() async throws -> String {
                try await gateway.owner.query("SELECT xmax::text AS xmax FROM gateway.orders")[0].string("xmax")
            }
            let before = try await lock()
            let armed = Locked(0)
            #expect(await gateway.executor.fire(due) { armed.withLock { $0 += 1 } } == nil)
            #expect(armed.withLock { $0 } == 1)
            #expect(try await lock() == before)
            #expect(acquirer.queries == 1)
        }
    }
}
