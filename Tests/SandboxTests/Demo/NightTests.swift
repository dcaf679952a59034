import Contracts
import Testing

@testable import SandboxDemo

@Suite("The night after the demo's day")
struct NightTests {
    @Test(
        "falls on the two last days that are over at the acquirer, which end at 23:00 in Beijing",
        arguments: [
            ("2026-11-24T14:59:59Z", "2026-11-22", "2026-11-23"), ("2026-11-24T15:00:00Z", "2026-11-23", "2026-11-24"),
            ("2026-03-01T03:00:00Z", "2026-02-27", "2026-02-28"),
        ])
    func days(now: String, trading: String, evening: String) throws {
        let days = AcquirerDays(before: try #require(Timestamp(rfc3339: now)))
        #expect("\(days.trading) \(days.evening)" == "\(trading) \(evening)")
    }

    @Test("reads a report of order-ledger, and what it owes in fen", arguments: [("396.90", 39_690), ("-6.05", -605)])
    func report(owed: String, minorUnits: Int64) throws {
        let report = """
            {"account": "777290058110048", "bank": {"outstanding": "1.00", "paidOut": "2.00"}, "date": "2026-11-23",
            "owed": "\(owed)", "status": "waiting", "waitsFor": "the file of 2026-11-23",
            "theirs": {"count": 3, "fees": "0.30", "net": "9.70", "returned": "5.00", "taken": "15.00"}}
            """
        let day = try SettledDay(report: Array(report.utf8))
        #expect(day.owedMinorUnits == minorUnits)
        #expect(day.text == "2026-11-23 of 777290058110048 is waiting: waits for the file of 2026-11-23")
        let cut = report.replacing(#""paidOut": "2.00""#, with: #""other": "2.00""#)
        #expect(throws: DemoError.self) { try SettledDay(report: Array(cut.utf8)) }
    }
}
