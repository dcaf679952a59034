import OrchardJSON
import Testing

@testable import Ledger

@Suite("The audit's report")
struct AuditReportTests {
    private let report = AuditReport(
        command: "audit",
        positions: [JournalPosition(partition: 0, offset: 12), JournalPosition(partition: 1, offset: 7)],
        checks: [
            AuditCheck("S1", "SOURCE", "records kept", counts: "19 rows"),
            AuditCheck(
                "C4", "COMPLETE", "facts that wait for others", counts: "1 now", findings: [.init("waits")],
                severity: .warned),
            AuditCheck(
                "T1", "TAMPER", "hash chain", counts: "2 partitions, 19 links",
                findings: [.init("the row was changed", at: JournalPosition(partition: 1, offset: 3))]),
            AuditCheck("T2", "TAMPER", "rows folded again", counts: "19 rows"),
        ])

    @Test("Text for people has one line for each check, findings with their place, and a sum")
    func text() {
        let lines = report.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "order-ledger audit  from genesis to P0@12 P1@7")
        #expect(lines[1].hasPrefix("SOURCE   S1  records kept") && lines[1].hasSuffix("ok"))
        #expect(lines[2].hasPrefix("COMPLETE C4") && lines[2].hasSuffix("WARN"))
        #expect(lines[4].hasPrefix("TAMPER   T1") && lines[4].hasSuffix("FAILED"))
        #expect(lines[5] == "             → P1@3: the row was changed")
        #expect(lines[6].hasPrefix("         T2"), "a section is named once")
        #expect(lines.last == "RESULT   1 errors, 1 warnings")
    }

    @Test("JSON for programs has the same content")
    func json() throws {
        let value = try JSONValue(parsing: report.json)
        #expect(value["errors"]?.integer == 1)
        #expect(value["warnings"]?.integer == 1)
        let check = try #require(value["checks"]?[2])
        #expect(check["id"]?.string == "T1")
        #expect(check["outcome"]?.string == "FAILED")
        #expect(check["findings"]?[0]?["partition"]?.integer == 1)
        #expect(check["findings"]?[0]?["offset"]?.integer == 3)
    }

    @Test("Only errors make the exit status 1")
    func exitStatus() {
        #expect(report.exitStatus == 1)
        let warned = AuditReport(command: "audit", positions: [], checks: Array(report.checks.prefix(2)))
        #expect(warned.exitStatus == 0)
    }

    @Test("Many findings are counted, and the first ones listed")
    func many() {
        let findings = (0..<50).map { AuditCheck.Finding("row \($0)") }
        let report = AuditReport(
            command: "audit", positions: [], checks: [AuditCheck("T1", "TAMPER", "t", counts: "50", findings: findings)]
        )
        #expect(report.checks[0].findings.count == 20)
        #expect(report.text.contains("→ and 30 more"))
    }
}
