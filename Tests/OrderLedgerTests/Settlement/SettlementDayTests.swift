import Contracts
import Ledger
import LedgerFixtures
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("A settled day in the database", .timeLimit(.minutes(5)))
struct SettlementDayTests {
    private typealias Fixture = SettlementFixture

    @Test("of more orders than a page is reconciled out of all partitions")
    func pages() async throws {
        try await Fixture.with { fixture in
            let numbers = Array(UInt8(1)...40)
            let rows = numbers.map { Fixture.row($0) }
            try await fixture.fold(try numbers.flatMap { try Fixture.paid($0) })
            try await fixture.fold(rows.map { .settlementRecorded($0) })
            try await fixture.fold([.settlementFileRecorded(Fixture.history().file(rows))])
            let outcome = try #require(try await fixture.reconcile())
            #expect(outcome.reconciliation.status == .reconciled, "\(outcome.text)")
            #expect(outcome.reconciliation.matched == 40)
            #expect(outcome.reconciliation.ours.taken == 40 * 10_900)
            #expect(outcome.bank.outstanding == 40 * 10_835)
            let stored = try await fixture.ledger.database.withConnection {
                try await SettlementDays(connection: $0).item(Fixture.day())
            }
            #expect(stored?.status == .reconciled && stored?.report == outcome.report)
            #expect(try await fixture.reconcile("2023-11-20") == nil)
            let report = try await fixture.ledger.audit()
            #expect(report.exitStatus == 0, "\(report.text)")
            let check = report.checks.first { $0.id == "X1" }
            #expect(check?.counts == "40 rows of files, 40 entries = 40 facts")
            #expect(report.checks.first { $0.id == "X2" }?.outcome == .passed)
        }
    }

    @Test("lists what differs until a person explains it; the explanation goes through the journal")
    func explained() async throws {
        try await Fixture.with { fixture in
            let (row, cheap) = (Fixture.row(1), Fixture.row(2, amount: 10_000))
            let stranger = Fixture.history().row(nil, serial: "x1", amount: 500, fee: 3)
            try await fixture.fold(try [1, 2, 3].flatMap { try Fixture.paid($0) })
            let rows = [row, cheap, stranger]
            try await fixture.fold(rows.map { .settlementRecorded($0) })
            try await fixture.fold([.settlementFileRecorded(Fixture.history().file(rows))])
            var day = try #require(try await fixture.reconcile()).reconciliation
            #expect(Set(day.differences.first.map(\.kind)) == [.amountDiffers, .onlyTheirs])
            #expect(day.waiting == 1)
            // The next day's file comes, and does not have the third order.
            try await fixture.fold([.settlementFileRecorded(Fixture.history().file([], on: "2023-11-22"))])
            day = try #require(try await fixture.reconcile()).reconciliation
            #expect(day.differences.open == 3 && day.waiting == 0 && day.status == .differs)

            for difference in day.differences.first {
                try await fixture.asCommand { connection, publisher in
                    let explanations = Explanations(connection: connection, publisher: publisher)
                    let registry = try #require(Shop.registry)
                    let account = try #require(SettlementAccounts(registry).all.first)
                    let found = try #require(
                        try await explanations.find(
                            difference.id, on: Fixture.day().date, of: [account], at: Shop.now))
                    try await explanations.explain(found, reason: "the bank says so", by: "li.wei", at: Shop.now)
                    // Once more changes nothing: it waits in the outbox.
                    try await explanations.explain(found, reason: "again", by: "li.wei", at: Shop.now)
                }
            }
            #expect(try await fixture.ledger.owner.query("SELECT 1 FROM ledger.outbox").count == 3)
            try await fixture.foldOutbox()
            day = try #require(try await fixture.reconcile()).reconciliation
            #expect(day.status == .reconciled && day.differences.explained == 3 && day.differences.open == 0)
            #expect(day.differences.first.allSatisfy { $0.explanation?.reason == "the bank says so" })
            // More money than was explained opens it again.
            let report = try await fixture.ledger.audit()
            #expect(report.exitStatus == 0, "\(report.text)")
        }
    }

    @Test("knows what the bank received, once for each reference, and refuses a file that was taken before")
    func payOuts() async throws {
        try await Fixture.with { fixture in
            let rows = [Fixture.row(1)]
            try await fixture.fold(
                try Fixture.paid(1) + rows.map { .settlementRecorded($0) }
                    + [.settlementFileRecorded(Fixture.history().file(rows))])
            let owners = Shop.registry.map { SettlementAccounts($0).owners } ?? [:]
            let now = Timestamp(seconds: 1_700_700_000)
            func file(_ reference: String, _ amount: String = "100.00") -> [UInt8] {
                Array(
                    """
                    \(PayOutFile.header)
                    2023-11-21,\(History.account),CNY,\(amount),\(reference)
                    total,,CNY,\(amount),1

                    """.utf8)
            }
            func receive(_ bytes: [UInt8]) async throws -> Int {
                try await fixture.asCommand { _, publisher in
                    try await PayOutReceipt(publisher: publisher).receive(bytes, owners: owners, at: now)
                }
            }
            #expect(try await receive(file("B-1")) == 1)
            // In the outbox, and then in the books.
            for _ in 1...2 {
                let fault = await #expect(throws: PayOutFile.Fault.self) { try await receive(file("B-1")) }
                #expect(fault == PayOutFile.Fault(line: 2, "the pay-out B-1 was received before"))
                try await fixture.foldOutbox()
            }
            let outcome = try #require(try await fixture.reconcile())
            #expect(outcome.bank == BankBalance(paidOut: 10_000, outstanding: 835))
            #expect(try await fixture.ledger.owner.query("SELECT 1 FROM ledger.outbox").isEmpty)
            let bank = try await fixture.ledger.owner.query(
                "SELECT sum(amount)::bigint AS n FROM ledger.entries WHERE account = 'assets:bank'")
            #expect(try bank[0].int64("n") == 10_000)
        }
    }

    @Test("is looked at again by the running service, which counts what is open")
    func monitored() async throws {
        try await Fixture.with { fixture in
            let registry = try #require(Shop.registry)
            let monitor = SettlementMonitor(
                database: fixture.ledger.database, accounts: { SettlementAccounts(registry) },
                metrics: fixture.ledger.metrics, logger: Logger(label: "test"))
            let rows = [Fixture.history().row(nil, serial: "x1", amount: 500)]
            try await fixture.fold(
                rows.map { .settlementRecorded($0) } + [.settlementFileRecorded(Fixture.history().file(rows))])
            var checked: [SettlementDay: Timestamp] = [:]
            let now = Timestamp(seconds: 1_700_700_100)
            try await monitor.check(&checked, at: now)
            let metrics = fixture.ledger.metrics
            #expect(metrics.unreconciledDays(History.account).value == 1)
            #expect(metrics.openDifferences(History.account).value == 1)
            #expect(metrics.oldestDifference(History.account).value == 700_000)
            #expect(checked.count == 2 * SettlementMonitor.days)
        }
    }

    @Test("is shown to the merchant's own keys with the scope")
    func api() async throws {
        try await TestShop.with { shop in
            let fixture = Fixture(ledger: shop.ledger)
            let rows = [Fixture.row(1), Fixture.history().row(nil, serial: "x1", amount: 500, fee: 3)]
            try await fixture.fold(
                try Fixture.paid(1) + rows.map { .settlementRecorded($0) }
                    + [.settlementFileRecorded(Fixture.history().file(rows))])
            _ = try await fixture.reconcile()
            let answer = try await shop.send(.get, "/v1/settlements?date=2023-11-21")
            #expect(answer.status == .ok, "\(answer.text)")
            let day = try answer.json["days"]?[0]
            #expect(day?["status"]?.string == "differs")
            #expect(day?["owed"]?.string == "113.32")
            #expect(day?["theirs"]?["count"]?.integer == 2)
            #expect(day?["differences"]?[0]?["kind"]?.string == "onlyTheirs")
            let range = try await shop.send(
                .get, "/v1/settlements?from=2023-11-20&to=2023-11-22&account=\(History.account)")
            #expect(try range.json["days"]?.array?.count == 1)
            let others = try await shop.send(.get, "/v1/settlements?date=2023-11-21", bearer: "other-key")
            #expect(try others.json["days"]?.array?.isEmpty == true)
            let forbidden = try await shop.send(.get, "/v1/settlements?date=2023-11-21", bearer: Shop.readingKey)
            #expect(forbidden.status == .forbidden)
            let limited = try shop.instance(limit: 1)
            for _ in 1...20 { _ = try await limited.send(.get, "/v1/settlements?date=2023-11-21") }
            let refused = try await limited.send(.get, "/v1/settlements?date=2023-11-21")
            #expect(refused.status == .tooManyRequests)
            for query in ["", "?date=21-11-2023", "?from=2023-11-21", "?from=2023-11-21&to=2023-12-31", "?x=1"] {
                let wrong = try await shop.send(.get, "/v1/settlements\(query)")
                #expect(try wrong.status == .badRequest && wrong.json["code"]?.string == "bad-query", "\(query)")
            }
        }
    }

    @Test("with a file that its rows are not is a warning of the audit; an entry that says less than its row an error")
    func audited() async throws {
        try await Fixture.with { fixture in
            let rows = [Fixture.row(1)]
            let file = Fixture.history().file(rows + [Fixture.row(2)])
            try await fixture.fold(
                try Fixture.paid(1) + rows.map { .settlementRecorded($0) } + [.settlementFileRecorded(file)])
            var report = try await fixture.ledger.audit()
            #expect(report.checks.first { $0.id == "X2" }?.outcome == .warned, "\(report.text)")
            #expect(report.exitStatus == 0)
            try await fixture.ledger.tamper(
                """
                UPDATE ledger.entries SET amount = amount - 1 WHERE kind = 'settlement'
                    AND account = 'assets:bank-receivable';
                UPDATE ledger.entries SET amount = amount + 1 WHERE kind = 'settlement'
                    AND account = 'expenses:acquirer-fees'
                """)
            report = try await fixture.ledger.audit()
            #expect(report.checks.first { $0.id == "X1" }?.outcome == .failed, "\(report.text)")
        }
    }
}
