import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("Money that is missing in the books is an error in audit and replay")
struct UntakenTests {
    /// A record that is not applied, the check that fails and the record it names. Records 0 and 1 open and accept.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let records: [JournalRecord]
        let check: String
        let offset: Int64
        var now = Shop.now
    }

    private static func cases() throws -> [Case] {
        let totals = try Shop.totals()
        let history = History()
        let opened = history.offer(1, totals).record(at: 0)
        let accepted = history.fact(transition: 1, amount: totals.amount, .accepted).record(at: 1)
        let succeeded = history.fact(transition: 2, amount: totals.amount, .succeeded).record(at: 2, sequence: 2)
        let cut = JournalRecord(
            position: succeeded.position, key: succeeded.key, headers: succeeded.headers,
            value: Array(succeeded.value.dropLast(2)))
        let other = history.fact(
            transition: 2, amount: try Shop.totals(shipping: 1).amount, .succeeded
        ).record(at: 2, sequence: 2)
        // It waits for the order, and has another amount than the order when that comes.
        let released = [accepted.moved(to: 0), other.moved(to: 1), opened.moved(to: 2)]
        let alone = history.fact(transition: 2, amount: totals.amount, .succeeded).record(at: 1)
        return [
            Case(testDescription: "unreadable", records: [opened, accepted, cut], check: "S2", offset: 2),
            Case(testDescription: "refused", records: [opened, accepted, other], check: "S2", offset: 2),
            Case(testDescription: "refused after it had waited", records: released, check: "S2", offset: 1),
            Case(
                testDescription: "waiting for eleven minutes", records: [opened, alone], check: "C6",
                offset: 1, now: Shop.now + .seconds(660)),
        ]
    }

    @Test("The audit fails and names the record", arguments: try cases())
    func audit(_ item: Case) async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: item.records)
            let report = try await ledger.audit(at: item.now)
            #expect(report.exitStatus == 1, "\(report.text)")
            #expect(report.checks.filter { $0.outcome == .failed }.map(\.id) == [item.check], "\(report.text)")
            #expect(
                report.checks.first { $0.id == item.check }?.findings.map(\.position)
                    == [JournalPosition(partition: Shop.partition, offset: item.offset)], "\(report.text)")
        }
    }

    @Test("The replay fails and names the record", arguments: try cases())
    func replay(_ item: Case) async throws {
        try await TestJournal.with { journal in
            try await journal.publish(item.records)
            try await journal.fold()
            let report = try await journal.replay(at: item.now)
            #expect(report.checks.filter { $0.outcome == .failed }.map(\.id) == [item.check], "\(report.text)")
            #expect(
                report.checks.first { $0.id == item.check }?.findings.map(\.position)
                    == [JournalPosition(partition: Shop.partition, offset: item.offset)], "\(report.text)")
        }
    }

    @Test("A fact that waits only briefly is a warning")
    func waiting() async throws {
        try await TestLedger.with { ledger in
            let totals = try Shop.totals()
            try await ledger.fold([History().fact(transition: 1, amount: totals.amount, .accepted)])
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0, "\(report.text)")
            #expect(report.checks.filter { $0.outcome == .warned }.map(\.id) == ["C4"], "\(report.text)")
        }
    }
}

extension JournalRecord {
    fileprivate func moved(to offset: Int64) -> JournalRecord {
        JournalRecord(
            position: JournalPosition(partition: position.partition, offset: offset), key: key, headers: headers,
            value: value)
    }
}
