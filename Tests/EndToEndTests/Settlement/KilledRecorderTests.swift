import Contracts
import Foundation
import OrchardPostgres
import TestSupport
import Testing

@Suite("A gateway that is killed while it records a settlement file", .timeLimit(.minutes(15)))
struct KilledRecorderTests {
    private static let tills: Int64 = 1_300

    // Failure scenario 48.
    @Test("is followed by one that goes on: every row is told once, and books once")
    func killed() async throws {
        try await TestServices.with { services in
            let (day, first, ledger) = (TestServices.days[0], try services.gateway(), try services.ledger())
            try await services.open(day)
            for _ in 1...2 { _ = try await services.pay("100.00", ledger) }
            try await services.sellAtTill("till", fen: 1_000, count: Self.tills)
            // A row of the second portion is being written by somebody else: the gateway waits in the middle of the file.
            let blocker = try await self.blocker(services, line: 700, of: day)
            try await services.open(TestServices.days[1])
            try await first.until {
                let written = try await Self.count(
                    "gateway.settlement_files WHERE recorded = 500", services.gatewayOwner)
                let waiting = try await Self.count(
                    "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
                    services.gatewayOwner)
                return written == 1 && waiting > 0
            }
            first.signal(SIGKILL)
            _ = try await first.status()
            try await blocker.execute("ROLLBACK")
            await blocker.close()
            #expect(
                try await Self.count("gateway.settlement_files WHERE recorded_at IS NULL", services.gatewayOwner) == 1)

            let second = try services.gateway()
            let rows = Self.tills + 2
            try await second.until {
                let isRecorded = try await Self.count(
                    "gateway.settlement_files WHERE recorded_at IS NOT NULL", services.gatewayOwner)
                let unpublished = try await Self.count("gateway.outbox", services.gatewayOwner)
                let read = try await Self.count("ledger.settlement_facts WHERE kind = 'file'", services.ledgerOwner)
                return isRecorded == 1 && unpublished == 0 && read == 1
            }
            // Rows are in other partitions than the file's.
            try await second.until {
                try await Self.count("ledger.settlement_facts WHERE kind = 'row'", services.ledgerOwner) >= rows
            }
            #expect(try await Self.count("gateway.settlement_rows", services.gatewayOwner) == rows)
            #expect(try await Self.count("ledger.settlement_facts WHERE kind = 'row'", services.ledgerOwner) == rows)
            let entries = "(SELECT DISTINCT partition, \"offset\" FROM ledger.entries WHERE kind = "
            #expect(try await Self.count(entries + "'unallocatedSettlement') AS e", services.ledgerOwner) == Self.tills)
            #expect(try await Self.count(entries + "'settlement') AS e", services.ledgerOwner) == 2)
            let audit = try await services.command("audit")
            #expect(
                audit.status == 0 && audit.output.contains("1 files, \(rows) rows, 0 files differ"), "\(audit.output)")
            #expect(audit.output.contains("\(rows) rows of files, \(rows) entries = \(rows) facts"), "\(audit.output)")
        }
    }

    /// A transaction that writes a row of the file, and has not ended.
    private func blocker(_ services: TestServices, line: Int32, of date: SettlementDate) async throws
        -> PostgresConnection
    {
        let day = SettlementDay(
            merchant: TestServices.merchant, acquirer: "unionpay", account: TestServices.account, date: date)
        let blocker = try await services.gatewayConnection()
        try await blocker.execute("BEGIN")
        try await blocker.execute(
            """
            INSERT INTO gateway.settlement_rows (partition, acquirer, account, settlement_date, line, kind, serial, trace,
                order_number, amount, currency, fee, net) VALUES ($1, $2, $3, $4, $5, 'sale', 'x', 'x', 'x', 1, 'CNY', 0, 1)
            """,
            [
                Partitioner.partition(of: day.subject, among: TestServices.partitions), day.acquirer, day.account,
                day.date.description, line,
            ] as [any PostgresEncodable])
        return blocker
    }

    private static func count(_ table: String, _ connection: PostgresConnection) async throws -> Int64 {
        try await connection.query("SELECT count(*) AS n FROM \(table)")[0].int64("n")
    }
}
