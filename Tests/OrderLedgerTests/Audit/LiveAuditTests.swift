import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("An audit beside a running ledger")
struct LiveAuditTests {
    private static func opening(_ number: UInt8) throws -> Fact {
        History(Shop.orderID(number)).offer(1, try Shop.totals())
    }

    /// The numbers of orders in one partition.
    private static func numbers(_ count: Int) -> [UInt8] {
        Array(
            (UInt8(1)...255).filter {
                Partitioner.partition(of: Shop.orderID($0), among: Shop.partitions) == Shop.partition
            }.prefix(count))
    }

    /// Begins an audit, folds more facts, and continues the audit with little memory.
    private static func audit(
        _ ledger: TestLedger, _ body: () async throws -> Void
    ) async throws -> PartitionAudit {
        let reader = LedgerReader(connection: ledger.owner)
        let start = try await AuditStart.read(reader, LedgerSchema.inbox)
        try await body()
        let partition = try #require(start.partitions.first { $0.number == Shop.partition })
        var audit = PartitionAudit(partition, key: start.key, capacity: 1)
        try await audit.run(reader)
        return audit
    }

    @Test("Facts that are folded meanwhile, of old or new orders, cause no findings")
    func folding() async throws {
        try await TestLedger.with { ledger in
            let numbers = Self.numbers(6)
            let amount = try Shop.totals().amount
            let history = History(Shop.orderID(numbers[0]))
            let facts =
                try numbers[..<4].map { try Self.opening($0) }
                + history.payment(amount: amount, .accepted, .succeeded)
                + numbers[4...].map { try Self.opening($0) }
            let records = facts.records()
            try await ledger.fold(records: Array(records[..<4]))
            let audit = try await Self.audit(ledger) { try await ledger.fold(records: Array(records[4...])) }
            #expect(audit.orders.findings.isEmpty, "\(audit.orders.findings)")
            #expect(audit.chain.rows == 4, "the audit ends where the ledger stood when it began")
            #expect(audit.chain.differences.isEmpty && audit.chain.brokenLinks.isEmpty)
            let next = try await ledger.audit()
            #expect(next.exitStatus == 0, "\(next.text)")
        }
    }

    @Test("An order with new facts meanwhile is compared all the same")
    func touched() async throws {
        try await TestLedger.with { ledger in
            let numbers = Self.numbers(3)
            let amount = try Shop.totals().amount
            try await ledger.fold(try numbers.map { try Self.opening($0) })
            let audit = try await Self.audit(ledger) {
                let history = History(Shop.orderID(numbers[0]))
                try await ledger.fold(history.payment(amount: amount, .accepted, .succeeded), from: 3)
                try await ledger.tamper("UPDATE ledger.payments SET amount = amount - 1")
            }
            #expect(audit.orders.findings.count == 1)
            let text = audit.orders.findings.first.first?.text
            #expect(text?.contains("\(Shop.orderID(numbers[0]))") == true, "\(text ?? "")")
        }
    }

    @Test("It holds no snapshot between its pages: the database may clean up what it read")
    func snapshots() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(try Self.numbers(3).map { try Self.opening($0) })
            try await ledger.database.withConnection { connection in
                let reader = LedgerReader(connection: connection)
                _ = try await AuditStart.read(reader, LedgerSchema.inbox)
                _ = try await reader.page(Shop.partition, 0...10)
                let session = try await connection.query("SELECT pg_backend_pid() AS pid")[0].int32("pid")
                // The owner queries it: PostgreSQL shows a session's snapshot only to superusers and its own role.
                let rows = try await ledger.owner.query(
                    "SELECT backend_xmin IS NULL AS free FROM pg_stat_activity WHERE pid = $1", [session])
                #expect(try rows.map { try $0.bool("free") } == [true])
            }
        }
    }
}
