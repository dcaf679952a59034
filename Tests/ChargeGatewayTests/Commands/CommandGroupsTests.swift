import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Commands of several partitions", .timeLimit(.minutes(10)))
struct CommandGroupsTests {
    /// Charges of new orders, some for each of the partitions 0 to 3.
    private static func charges(_ count: Int, _ gateway: TestGateway) throws -> [Int32: [ChargeRequested]] {
        try [Int32: [ChargeRequested]](
            uniqueKeysWithValues: (0...3).map { partition in
                (partition, try (0..<count).map { _ in try gateway.shop.charge(Shop.order(in: partition)) })
            })
    }

    /// Processes each partition's commands, all at once. At most two groups begin before there is a connection; the other batches gather.
    private static func process(
        _ commands: [Int32: [Contracts.Command]], _ gateway: TestGateway
    ) async throws -> [Int32: any Error] {
        try await withThrowingTaskGroup(of: (Int32, (any Error)?).self) { tasks in
            try await gateway.pool.whileLent(TestGateway.poolSize) {
                for (count, (partition, commands)) in commands.sorted(by: { $0.key < $1.key }).enumerated() {
                    let records = commands.enumerated().map { KafkaRecord($1, at: Int64($0), in: partition) }
                    tasks.addTask {
                        do {
                            try await gateway.commands.process(records, of: partition)
                            return (partition, nil)
                        } catch {
                            return (partition, error)
                        }
                    }
                    while gateway.commands.batches.count <= count { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
            var errors: [Int32: any Error] = [:]
            for try await (partition, error) in tasks { errors[partition] = error }
            return errors
        }
    }

    @Test("that have gathered are committed together")
    func together() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charges = try Self.charges(3, gateway)
            #expect(try await Self.process(charges.mapValues { $0.map { .charge($0) } }, gateway).isEmpty)
            let rows = try await gateway.owner.query(
                """
                SELECT count(*) AS n, count(DISTINCT xmin::text) AS transactions FROM gateway.operations
                """)
            #expect(try rows[0].int64("n") == 12 && rows[0].int64("transactions") < 4)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 3 AND count = 3") == 4)
            for charge in charges.values.joined() {
                #expect(try await gateway.story(of: charge.order) == ["accepted"])
            }
        }
    }

    @Test(
        "do not wait for a partition that may not be stepped, nor for those that another process holds",
        arguments: [[3], [0, 1]] as [[Int32]])
    func alone(held: [Int32]) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charges = try Self.charges(2, gateway)
            let frozen = try await PostgresConnection.connect(PostgresConfiguration(connectionString: gateway.url))
            let partitions = held.map(\.description).joined(separator: ", ")
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'x' WHERE partition = 2")
            try await frozen.script(
                "BEGIN; SELECT 1 FROM gateway.inbox_watermarks WHERE partition IN (\(partitions)) FOR UPDATE")
            let begin = ContinuousClock.now
            async let result = Self.process(charges.mapValues { $0.map { .charge($0) } }, gateway)
            try await eventually {
                try await frozen.query("SELECT 1 FROM gateway.operations").count >= 6 - 2 * held.count
            }
            #expect(ContinuousClock.now - begin < .seconds(20), "a statement that waits for a lock fails after 30 s")
            try await frozen.script("COMMIT")
            let errors = try await result
            #expect(Array(errors.keys) == [2] && errors[2] is InboxError)
            #expect(try await gateway.count("gateway.operations WHERE partition <> 2") == 6)
            await frozen.close()
        }
    }

    @Test("that name one order twice: the one in the wrong partition has no effect")
    func twice() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charge = Contracts.Command.charge(try gateway.shop.charge(Shop.order(in: 2)))
            let commands: [Int32: [Contracts.Command]] = try [
                0: [.charge(gateway.shop.charge(Shop.order(in: 0)))],
                1: [.charge(gateway.shop.charge(Shop.order(in: 1)))], 2: [charge], 3: [charge],
            ]
            #expect(try await Self.process(commands, gateway).isEmpty)
            #expect(try await gateway.count("gateway.operations") == 3)
            #expect(try await gateway.count("gateway.operations WHERE partition = 3") == 0)
            let letters = "gateway.outbox WHERE topic = '\(Topic.charges.deadLetters.name)'"
            #expect(try await gateway.count(letters) == 1)
        }
    }

    @Test("of one token for two orders in two partitions are one charge")
    func oneToken() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            var charges = try Self.charges(1, gateway)
            let payment = try #require(charges[2]?.first?.payment)
            charges[3] = [try gateway.shop.charge(Shop.order(in: 3), payment: payment)]
            #expect(try await Self.process(charges.mapValues { $0.map { .charge($0) } }, gateway).isEmpty)
            let phases = try await gateway.owner.query(
                "SELECT phase FROM gateway.operations WHERE partition >= 2 ORDER BY phase")
            #expect(try phases.map { try $0.string("phase") } == ["created", "refused"])
        }
    }

    @Test("give back the slots of a group that is not committed, and charge each once when they are tried alone")
    func slots() async throws {
        let acquirer = ScriptedAcquirer()
        // As many slots as charges: one that is not given back is missing.
        let limits = RequestLimiter.Limits(acquirer: 12, account: 12)
        try await TestGateway.with([acquirer], limits: limits) { gateway in
            let charges = try Self.charges(4, gateway)
            let bad = try #require(charges[3]?.last)
            try await gateway.owner.execute(
                "ALTER TABLE gateway.operations ADD CHECK (order_id <> '\(bad.order)')")
            let errors = try await Self.process(charges.mapValues { $0.map { .charge($0) } }, gateway)
            #expect(Array(errors.keys) == [3])
            for partition: Int32 in 0...2 {
                for charge in charges[partition] ?? [] { try await gateway.wait(for: "succeeded", of: charge.order) }
            }
            #expect(acquirer.received.count == 12 && acquirer.book.count == 12)
            // The last request gives its slot back behind its commit.
            for _ in 0..<12 {
                let due = DueOrder(
                    order: Shop.order(), partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
                try await eventually { gateway.requests.limiter.acquire(for: due) }
            }
        }
    }
}
