import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway
@testable import Outbox

@Suite("An order with damaged rows", .timeLimit(.minutes(10)))
struct DamagedOrderTests {
    /// Takes a charge, and damages its rows as no program of ours would.
    private static func damage(
        _ charge: ChargeRequested, _ change: String, _ gateway: TestGateway
    ) async throws {
        try await gateway.take([.charge(charge)])
        try await gateway.owner.execute("UPDATE gateway.operations SET \(change)")
    }

    private static let letters = "gateway.outbox WHERE topic = '\(Topic.charges.deadLetters.name)'"

    @Test(
        "sets its commands aside with an alarm, each of them, while the others of the batch are taken",
        arguments: [
            "account = NULL", "currency = 'zz'", "sends = 3", "signed_at = '-infinity'",
        ])
    func setAside(_ change: String) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (damaged, other) = (try gateway.shop.charge(Shop.order()), try gateway.shop.charge(Shop.order()))
            try await Self.damage(damaged, change, gateway)
            let again = try gateway.shop.charge(damaged.order)
            let void = try gateway.shop.follow(.void, damaged, nil)
            try await gateway.take([.charge(again), .charge(other), .signed(void)], from: 1)
            #expect(try await gateway.story(of: other.order) == ["accepted"])
            #expect(try await gateway.story(of: damaged.order) == ["accepted"], "nothing is told of the commands")
            #expect(try await gateway.count(Self.letters) == 2)
            #expect(gateway.metrics.expose().contains("kind=\"damagedOrder\"} 2"))
            let alarms = gateway.log.lines.filter { $0.message.hasPrefix("ALARM damagedOrder") }
            #expect(alarms.map { $0.metadata["order_id"] } == Array(repeating: damaged.order.description, count: 2))
            #expect(alarms.first?.message.contains("charge-gateway dlq replay") == true)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 4 AND count = 4") == 1)
        }
    }

    @Test(
        "lets its commands wait when a newer version may have written the row, and takes them when it can be read",
        arguments: ["currency": "ZZZ", "card_network": "newNetwork"])
    func newer(column: String, word: String) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (charge, other) = (try gateway.shop.charge(Shop.order()), try gateway.shop.charge(Shop.order()))
            try await gateway.take([.charge(charge)])
            let known = try await gateway.column(column, of: charge.order)
            try await gateway.owner.execute("UPDATE gateway.operations SET \(column) = '\(word)'")
            let again = try gateway.shop.charge(charge.order)
            await #expect {
                try await gateway.take([.charge(other), .charge(again)], from: 1)
            } throws: { ($0 as? CommandWait)?.description.contains(column) == true }
            #expect(try await gateway.story(of: other.order) == ["accepted"], "those before it are taken")
            #expect(try await gateway.count(Self.letters) == 0)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 2") == 1)
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET \(column) = $1 WHERE order_id = $2", [known ?? "", charge.order])
            try await gateway.take([.charge(again)], from: 2)
            #expect(try await gateway.story(of: charge.order) == ["accepted", "refused: orderBusy"])
        }
    }

    @Test("takes a command that was set aside when its rows are mended, and once")
    func mended() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await Self.damage(charge, "account = NULL", gateway)
            let record = KafkaRecord(.charge(try gateway.shop.charge(charge.order)), at: 1)
            try await gateway.commands.process([record], of: 0)
            guard case .setAside(let reason) = try await gateway.commands.replay(record) else {
                Issue.record("its rows are still damaged")
                return
            }
            #expect(reason.contains("account"))
            try await gateway.owner.execute("UPDATE gateway.operations SET account = '\(Shop.account)'")
            #expect(try await gateway.commands.replay(record) == .processed(["refused: orderBusy"]))
            #expect(try await gateway.commands.replay(record) == .known("refused"))
        }
    }

    @Test("fails its own steps, and no other of their transaction")
    func steps() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charges = try (0..<4).map { _ in try gateway.shop.charge(Shop.order()) }
            try await gateway.take(charges.map { .charge($0) })
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET account = NULL WHERE order_id = $1", [charges[1].order])
            let places = charges.map { OrderStore.Place(order: $0.order, partition: 0) }
            let locked = try await gateway.transactions.withBatch { batch in
                try await OrderStore(policy: gateway.transactions.policy).lock(places, .wait, on: batch.connection)
            }
            #expect(Array(locked.damaged.keys) == [charges[1].order] && locked.orders.count == 3 && locked.held.isEmpty)
            await #expect {
                _ = try await gateway.transactions.step(charges[1].order, in: 0) { _, _ in ([], ()) }
            } throws: { "\($0)".contains("account") }
        }
    }

    @Test("stops the recovery of its partition, and is named")
    func recovery() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await Self.damage(charge, "account = NULL", gateway)
            let server = DatabaseServer(identifier: 1, timeline: "00000001", objects: "1/1")
            let situation = RecoverySituation(
                partition: 0, watermark: nil, server: server, clusterID: "test", low: 0, high: 1, committed: nil)
            let recovery = GatewayRecovery(transactions: gateway.transactions, logger: gateway.logger)
            await #expect {
                try await gateway.pool.withTransaction { try await recovery.suspect(situation, on: $0) }
            } throws: { "\($0)".contains(charge.order.description) }
        }
    }
}
