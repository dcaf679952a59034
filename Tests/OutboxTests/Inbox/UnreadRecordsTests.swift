import Testing

@testable import Outbox

@Suite("The report on unread records")
struct UnreadRecordsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let findings: [Int32: UnreadRecords.Finding]
        let expected: String
        var ages: [Int32: Double] = [:]
    }

    static let now: Int64 = 1_700_000_100_000

    @Test(arguments: [
        Case(
            testDescription: "nothing waits", findings: [0: .none, 1: .none], expected: "no command waits",
            ages: [0: 0, 1: 0]),
        Case(
            testDescription: "one waits", findings: [0: .none, 1: .oldest(next: 7, writtenAt: now - 2_500)],
            expected: "the oldest unread command waits 2 s (charges/1)", ages: [0: 0, 1: 2.5]),
        Case(
            testDescription: "one waits longer than the limit",
            findings: [
                0: .oldest(next: 7, writtenAt: now - 2_000), 1: .oldest(next: 0, writtenAt: now - 30_000), 2: .none,
            ],
            expected:
                "WARNING: the oldest unread command waits 30 s (charges/1); its consumer is too slow, stands still, "
                + "or is gone", ages: [0: 2, 1: 30, 2: 0]),
        Case(
            testDescription: "the writer's clock is ahead", findings: [0: .oldest(next: 7, writtenAt: now + 9_000)],
            expected: "the oldest unread command waits 0 s (charges/0)", ages: [0: 0]),
        Case(
            testDescription: "partitions that cannot be read",
            findings: [0: .none, 2: .unknown("no leader"), 3: .unknown("no leader")],
            expected: "no command waits; 2 partitions cannot be checked, first charges/2: no leader", ages: [0: 0]),
    ])
    func expected(_ example: Case) {
        var records = UnreadRecords()
        for (partition, finding) in example.findings { records.set(partition, finding) }
        let found = records.text(of: "command", in: "charges", at: Self.now)
        let warning = found.isWarning ? "WARNING: " : ""
        #expect(warning + found.text == example.expected)
        for partition in example.findings.keys {
            #expect(records.age(of: partition, at: Self.now) == example.ages[partition])
        }
    }

    @Test func `a record is read again when the watermark has moved, and not before`() {
        var records = UnreadRecords()
        #expect(!records.isKnown(3, next: 7))
        records.set(3, .oldest(next: 7, writtenAt: Self.now - 60_000))
        #expect(records.isKnown(3, next: 7))
        #expect(!records.isKnown(3, next: 8))
        records.set(3, .none)
        #expect(!records.isKnown(3, next: 7))
    }

    @Test func `a partition that cannot be read any more keeps what waits in it`() {
        var records = UnreadRecords()
        records.set(3, .oldest(next: 7, writtenAt: Self.now - 60_000))
        records.set(3, .unknown("no leader"))
        #expect(records.age(of: 3, at: Self.now) == 60)
        records.set(3, .none)
        #expect(records.age(of: 3, at: Self.now) == 0)
    }
}
