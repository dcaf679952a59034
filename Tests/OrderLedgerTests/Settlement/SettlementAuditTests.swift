import Contracts
import KeyFiles
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The audit of settled days", .timeLimit(.minutes(5)))
struct SettlementAuditTests {
    /// Runs `body` with the books of ``SettlementBooks`` and the reports of their days, which the facts are older than.
    private static func with(_ body: @Sendable (SettlementFixture) async throws -> Void) async throws {
        try await SettlementFixture.with { fixture in
            try await fixture.fold(try SettlementBooks.facts())
            for date in ["2023-11-21", "2023-11-22"] {
                _ = try await fixture.ledger.database.withConnection {
                    try await SettlementReconciler(connection: $0).reconcile(
                        SettlementFixture.day(date), at: .now + .seconds(3_600))
                }
            }
            try await body(fixture)
        }
    }

    private static func failed(_ report: AuditReport) -> Set<String> {
        Set(report.checks.filter { $0.outcome == .failed }.map(\.id))
    }

    @Test("finds nothing in books with files, rows, disputes, pay-outs and an explained difference")
    func clean() async throws {
        try await Self.with { fixture in
            let report = try await fixture.ledger.audit()
            #expect(report.exitStatus == 0 && report.warnings == 0, "\(report.text)")
            func counts(_ id: String) -> String? { report.checks.first { $0.id == id }?.counts }
            #expect(counts("X1") == "3 rows of files, 6 entries = 6 facts")
            #expect(counts("X2") == "2 files, 3 rows, 0 files differ")
            #expect(counts("X3") == "2 reports, 0 differences")
        }
    }

    @Test("names the partition of each place of a fact that is lost, moved or invented")
    func places() async throws {
        try await expectFindings(SettlementBooks.places) { damage, report in
            let found = report.checks.first { $0.id == "R2" }?.findings ?? []
            #expect(found.contains { $0.text.hasPrefix("P") }, "\(damage)\n\(report.text)")
        }
    }

    @Test("names partition and offset of each entry of a row, a dispute or a pay-out that is lost or changed")
    func entries() async throws {
        try await expectFindings(SettlementBooks.entries) { damage, report in
            let found = report.checks.first { $0.id == "T2" }?.findings ?? []
            #expect(found.contains { $0.position != nil }, "\(damage)\n\(report.text)")
        }
    }

    @Test("names the day whose report is not what the books say")
    func reports() async throws {
        try await expectFindings(SettlementBooks.reports) { damage, report in
            let found = report.checks.first { $0.id == "X3" }?.findings ?? []
            #expect(
                found.count == 1 && found[0].text.contains(" meadow ") == damage.sql.contains("meadow"),
                "\(damage)\n\(report.text)")
        }
    }

    @Test("takes a report that is older than its facts for old, and misses one of a file that was told long ago")
    func old() async throws {
        try await Self.with { fixture in
            try await fixture.fold([.settlementRecorded(SettlementFixture.row(3))])
            try await fixture.ledger.tamper(
                "UPDATE ledger.facts SET recorded_at = recorded_at + interval '2 hours'")
            var report = try await fixture.ledger.audit()
            #expect(report.checks.first { $0.id == "X3" }?.outcome == .warned, "\(report.text)")
            #expect(report.text.contains("facts have come since; `order-ledger settle show 2023-11-21` makes it anew"))
            _ = try await fixture.reconcile()
            try await fixture.ledger.owner.script(
                "DELETE FROM ledger.settlement_days WHERE settlement_date = '2023-11-22'")
            report = try await fixture.ledger.audit(at: Shop.now + .seconds(7_200))
            let check = report.checks.first { $0.id == "X3" }
            #expect(check?.outcome == .warned && check?.findingCount == 1, "\(report.text)")
            #expect(check?.findings.first?.text.contains("2023-11-22 unionpay") == true, "\(report.text)")
            #expect(check?.findings.first?.text.contains("there is a file and no report") == true)
        }
    }

    /// Makes each damage, audits, and undoes it.
    private func expectFindings(
        _ damages: [SettlementBooks.Damage],
        _ body: @escaping @Sendable (SettlementBooks.Damage, AuditReport) throws -> Void
    ) async throws {
        try await Self.with { fixture in
            let table = try #require(damages.first?.table)
            try await fixture.ledger.owner.script("CREATE TABLE public.saved AS TABLE ledger.\(table)")
            for damage in damages {
                try await fixture.ledger.tamper(damage.sql)
                let report = try await fixture.ledger.audit()
                try await fixture.ledger.tamper(
                    "TRUNCATE ledger.\(table); INSERT INTO ledger.\(table) TABLE public.saved")
                #expect(Self.failed(report).isSuperset(of: damage.audit), "\(damage)\n\(report.text)")
                try body(damage, report)
            }
        }
    }
}
