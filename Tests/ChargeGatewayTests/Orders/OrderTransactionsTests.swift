import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Steps of many orders", .timeLimit(.minutes(10)))
struct OrderTransactionsTests {
    /// Orders with a charge that is due, in partitions 0 and 1.
    private static func charges(_ count: Int, in gateway: TestGateway) async throws -> [ChargeRequested] {
        var charges: [ChargeRequested] = []
        for partition: Int32 in 0...1 {
            let some = try (0..<count / 2).map { _ in try gateway.shop.charge(Shop.order(in: partition)) }
            try await gateway.take(some.map { .charge($0) }, in: partition)
            charges += some
        }
        return charges
    }

    /// Gives each charge an input, all at once.
    private static func step(
        _ charges: [ChargeRequested], in gateway: TestGateway,
        _ body: @escaping @Sendable (ChargeRequested, inout StoredOrder, Timestamp) throws -> [Action]
    ) async throws -> [Result<Bool, any Error>] {
        try await withThrowingTaskGroup(of: (Int, Result<Bool, any Error>).self) { group in
            for (index, charge) in charges.enumerated() {
                let partition = Partitioner.partition(of: charge.order, among: Shop.partitions)
                group.addTask {
                    do {
                        let done = try await gateway.transactions.step(charge.order, in: partition) { order, time in
                            (try body(charge, &order, time), ())
                        }
                        return (index, .success(done != nil))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<Bool, any Error>] = [:]
            for try await (index, result) in group { results[index] = result }
            return charges.indices.compactMap { results[$0] }
        }
    }

    private static func due(
        _ charge: ChargeRequested, _ order: inout StoredOrder, _ time: Timestamp
    ) -> [Action] {
        order.receive(.operation(charge.operation, .due(.ready)), at: time)
    }

    @Test("are committed together")
    func together() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let charges = try await Self.charges(200, in: gateway)
            let results = try await Self.step(charges, in: gateway, Self.due)
            #expect(try results.allSatisfy { try $0.get() })
            let rows = try await gateway.owner.query(
                "SELECT count(*) AS n, count(DISTINCT xmin::text) AS transactions FROM gateway.operations WHERE sends = 1"
            )
            #expect(try rows[0].int("n") == 200)
            #expect(try rows[0].int("transactions") < 100)
        }
    }

    @Test("do not hinder each other: one that cannot be written is left out")
    func poison() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let charges = try await Self.charges(20, in: gateway)
            let bad = charges[7]
            try await gateway.owner.execute(
                "ALTER TABLE gateway.operations ADD CHECK (order_id <> '\(bad.order)' OR sends = 0)")
            let results = try await Self.step(charges, in: gateway, Self.due)
            for (charge, result) in zip(charges, results) {
                if charge == bad {
                    #expect((result.failure as? PostgresError)?.sqlState == "23514")
                } else {
                    #expect(try result.get())
                }
                #expect(try await gateway.column("sends", of: charge.order) == (charge == bad ? "0" : "1"))
            }
        }
    }

    private struct Refused: Error {}

    @Test("fail alone when their input does, or their partition stands")
    func failures() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let charges = try await Self.charges(20, in: gateway)
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'x' WHERE partition = 1")
            let results = try await Self.step(charges, in: gateway) { charge, order, time in
                if charge == charges[3] { throw Refused() }
                return Self.due(charge, &order, time)
            }
            for (index, result) in results.enumerated() {
                switch index {
                case 3: #expect(result.failure is Refused)
                case 10...: #expect(result.failure is InboxError)
                default: #expect(try result.get())
                }
            }
        }
    }

    @Test("wait for an order that somebody else holds without holding the others", arguments: [false, true])
    func locked(isSkipping: Bool) async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let charges = try await Self.charges(10, in: gateway)
            let other = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: gateway.url))
            try await other.script(
                "BEGIN; SELECT 1 FROM gateway.orders WHERE order_id = '\(charges[0].order)' FOR UPDATE")
            let held = Locked(true)
            async let waiting = gateway.transactions.step(charges[0].order, in: 0, isSkipping ? .skip : .wait) {
                order, time in
                (Self.due(charges[0], &order, time), held.withLock { $0 })
            }
            let results = try await Self.step(Array(charges[1...]), in: gateway, Self.due)
            #expect(try results.allSatisfy { try $0.get() })
            if isSkipping { #expect(try await waiting == nil) }
            held.withLock { $0 = false }
            try await other.script("COMMIT")
            if !isSkipping { #expect(try await waiting?.outcome == false, "stepped after the other let go") }
            await other.close()
        }
    }

    @Test("keep no connection while they wait: another worker may freeze with many orders")
    func manyLocked() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let charges = try await Self.charges(60, in: gateway)
            let (held, free) = (Array(charges[..<30]), Array(charges[30...]))
            let other = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: gateway.url))
            try await other.script("BEGIN; SELECT 1 FROM gateway.orders WHERE partition = 0 FOR UPDATE")
            let isHeld = Locked(true)
            async let waiting = Self.step(held, in: gateway) { charge, order, time in
                #expect(!isHeld.withLock { $0 })
                return Self.due(charge, &order, time)
            }
            try await Task.sleep(for: .milliseconds(300))
            let begin = ContinuousClock.now
            let results = try await Self.step(free, in: gateway, Self.due)
            #expect(try results.allSatisfy { try $0.get() })
            #expect(ContinuousClock.now - begin < .seconds(5), "they waited for a connection")
            isHeld.withLock { $0 = false }
            try await other.script("COMMIT")
            #expect(try await waiting.allSatisfy { try $0.get() })
            await other.close()
        }
    }

    @Test("raise the alarms of a step whose commit nobody knows: a second try may have none")
    func unknownCommit() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            try await gateway.endSessions(afterChanging: "gateway.operations")
            await #expect {
                _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                    let actions = Self.due(charge, &order, time)
                    return (
                        actions + [.alarm(Alarm(.refundFailed, order: charge.order, payment: nil, reason: "test"))], ()
                    )
                }
            } throws: { ($0 as? PostgresError)?.code == .commitUnknown }
            #expect(gateway.metrics.expose().contains("kind=\"refundFailed\"} 1"))
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
