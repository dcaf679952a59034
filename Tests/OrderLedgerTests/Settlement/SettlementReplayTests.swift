import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The replay of settled days", .timeLimit(.minutes(5)))
struct SettlementReplayTests {
    // Failure scenario 47.
    @Test("gives the same books, and names each row of a day that the journal does not make so")
    func damage() async throws {
        try await TestJournal.with { journal in
            try await journal.publish(
                try SettlementBooks.facts().records { Partitioner.partition(of: $0.order, among: Shop.partitions) })
            try await journal.fold()
            let report = try await journal.replay()
            #expect(report.exitStatus == 0 && report.warnings == 0, "\(report.text)")
            let entries = try await journal.ledger.owner.query(
                "SELECT kind, sum(amount)::bigint AS n FROM ledger.entries WHERE account = 'assets:bank-receivable' GROUP BY kind"
            )
            let moved = try entries.reduce(into: [:]) { $0[try $1.string("kind")] = try $1.int64("n") }
            #expect(
                moved == ["settlement": 20_770, "unallocatedSettlement": 497, "dispute": -10_900, "payOut": -8_988])

            // Of each kind a lost, a wrong and an invented one; the audit's test has the others.
            let places = SettlementBooks.places.filter {
                $0.sql.hasPrefix("DELETE") || $0.sql.hasPrefix("INSERT") || $0.sql.contains("SET kind")
            }
            for damage in places + SettlementBooks.entries {
                try await journal.ledger.owner.script("CREATE TABLE public.saved AS TABLE ledger.\(damage.table)")
                try await journal.ledger.tamper(damage.sql)
                let report = try await journal.replay()
                #expect(
                    Set(report.checks.filter { $0.outcome == .failed }.map(\.id)) == damage.replay,
                    "\(damage)\n\(report.text)")
                try await journal.ledger.tamper(
                    """
                    TRUNCATE ledger.\(damage.table); INSERT INTO ledger.\(damage.table) TABLE public.saved;
                    DROP TABLE public.saved
                    """)
            }
            #expect(try await journal.replay().exitStatus == 0)
        }
    }
}
