import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Outbox
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Batches of several partitions", .timeLimit(.minutes(10)))
struct FactGroupsTests {
    /// An order for each partition.
    private static let histories: [Int32: History] = {
        var histories: [Int32: History] = [:]
        var number: UInt64 = 1
        while histories.count < Int(Shop.partitions) {
            let id = OrderID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
            let partition = Partitioner.partition(of: id, among: Shop.partitions)
            if histories[partition] == nil { histories[partition] = History(id) }
            number += 1
        }
        return histories
    }()

    private static func facts(of partition: Int32) throws -> [JournalRecord] {
        guard let history = histories[partition] else { return [] }
        let totals = try Shop.totals()
        let payment = history.payment(amount: totals.amount, .accepted, .succeeded)
        return ([history.offer(1, totals)] + payment).records(partition: partition)
    }

    /// A paid order for each partition, folded at once. At most two groups begin before there is a connection; the other batches gather.
    private static func fold(
        in ledger: TestLedger, _ facts: @escaping @Sendable (Int32) throws -> [JournalRecord] = facts(of:)
    ) async throws -> [Int32: any Error] {
        let projection = ledger.projection
        return try await withThrowingTaskGroup(of: (Int32, (any Error)?).self) { tasks in
            try await ledger.database.whileLent(ledger.service.poolSize) {
                for (count, partition) in histories.keys.sorted().enumerated() {
                    tasks.addTask {
                        do {
                            try await projection.apply(facts(partition), of: partition, from: 0)
                            return (partition, nil)
                        } catch {
                            return (partition, error)
                        }
                    }
                    while projection.batches.count <= count { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
            var errors: [Int32: any Error] = [:]
            for try await (partition, error) in tasks { errors[partition] = error }
            return errors
        }
    }

    @Test("that have gathered are folded in one transaction, each into its own chain")
    func together() async throws {
        try await TestLedger.with { ledger in
            try await ledger.start(partitions: Shop.partitions)
            #expect(try await Self.fold(in: ledger).isEmpty)
            let transactions = try await ledger.owner.query(
                "SELECT DISTINCT xmin::text FROM ledger.facts")
            #expect(transactions.count < 4)
            let places = try await ledger.owner.query(
                "SELECT 1 FROM ledger.inbox_watermarks WHERE next_offset = 3 AND count = 3 AND last_offset = 2")
            #expect(places.count == 4)
            let orders = try await ledger.owner.query("SELECT 1 FROM ledger.orders WHERE status = 'paid'")
            #expect(orders.count == 4)
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0, "\(report)")
        }
    }

    @Test("do not wait for one that may not be folded")
    func refused() async throws {
        try await TestLedger.with { ledger in
            try await ledger.start(partitions: Shop.partitions)
            try await ledger.owner.execute("UPDATE ledger.inbox_watermarks SET refusal = 'x' WHERE partition = 3")
            let errors = try await Self.fold(in: ledger)
            #expect(Array(errors.keys) == [3])
            #expect(errors[3] is InboxError)
            #expect(try await ledger.owner.query("SELECT DISTINCT partition FROM ledger.facts").count == 3)
        }
    }

    @Test("do not wait for those whose watermarks another process holds", arguments: [0, 3] as [Int32])
    func held(partition: Int32) async throws {
        try await TestLedger.with { ledger in
            try await ledger.start(partitions: Shop.partitions)
            let frozen = try await PostgresConnection.connect(ledger.service)
            try await frozen.script(
                "BEGIN; SELECT 1 FROM ledger.inbox_watermarks WHERE partition IN (\(partition), 1) FOR UPDATE")
            let begin = ContinuousClock.now
            async let errors = Self.fold(in: ledger)
            try await eventually {
                try await frozen.query("SELECT DISTINCT partition FROM ledger.facts").count >= 2
            }
            #expect(ContinuousClock.now - begin < .seconds(20), "a statement that waits for a lock fails after 30 s")
            try await frozen.script("COMMIT")
            #expect(try await errors.isEmpty)
            #expect(try await ledger.owner.query("SELECT DISTINCT partition FROM ledger.facts").count == 4)
            await frozen.close()
        }
    }

    @Test("keep what cannot be read apart")
    func unreadable() async throws {
        try await TestLedger.with { ledger in
            try await ledger.start(partitions: Shop.partitions)
            let errors = try await Self.fold(in: ledger) { partition in
                let bad = JournalRecord(
                    position: JournalPosition(partition: partition, offset: 3), key: nil, headers: [],
                    value: Array("partition \(partition)".utf8))
                return try Self.facts(of: partition) + [bad]
            }
            #expect(errors.isEmpty)
            let rows = try await ledger.owner.query(
                "SELECT partition, \"offset\" FROM ledger.faults ORDER BY partition")
            #expect(try rows.map { try $0.int32("partition") } == [0, 1, 2, 3])
            #expect(try rows.allSatisfy { try $0.int64("offset") == 3 })
        }
    }
}
