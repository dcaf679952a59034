import Contracts
import Testing

@testable import Charging

@Suite("The proof that a transaction was never done")
struct AbsenceProofTests {
    private static let calendar = SettlementCalendar.unionPay

    private static func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? Timestamp(seconds: 0) }
    private static func date(_ text: String) -> SettlementDate {
        SettlementDate(text) ?? SettlementDate(Timestamp(seconds: 0), utcOffset: 0)
    }

    @Test(
        "UnionPay's day goes from 23:00 to 23:00 in Beijing",
        arguments: [
            ("2026-11-23T14:59:59Z", "2026-11-23"), ("2026-11-23T15:00:00Z", "2026-11-24"),
            ("2026-12-31T15:00:00Z", "2027-01-01"), ("2028-02-28T15:00:00Z", "2028-02-29"),
        ])
    func day(_ moment: String, _ day: String) {
        #expect(Self.calendar.day(of: Self.time(moment)).description == day)
        #expect(Self.calendar.end(of: Self.date(day)) > Self.time(moment))
        #expect(Self.calendar.end(of: Self.date(day).adding(days: -1)) <= Self.time(moment))
        #expect(Self.calendar.lastClosedDay(at: Self.time(moment)) == Self.date(day).adding(days: -1))
    }

    @Test(
        "needs the files of its day and the next, and near 23:00 of every day in which it can stand",
        arguments: [
            (["2026-11-23T04:00:00Z"], ["2026-11-23", "2026-11-24"]),
            (["2026-11-23T14:50:00Z"], ["2026-11-23", "2026-11-24"]),
            (["2026-11-23T15:05:00Z"], ["2026-11-23", "2026-11-24", "2026-11-25"]),
            (["2026-11-23T14:40:00Z", "2026-11-24T14:50:00Z"], ["2026-11-23", "2026-11-24", "2026-11-25"]),
        ])
    func days(_ times: [String], _ days: [String]) {
        let found = AbsenceProof.days(
            of: times.map(Self.time), in: Self.calendar, tolerance: .seconds(900))
        #expect(found.map(\.description) == days)
    }

    @Test("is there when every file is, and none has it; a day without a file proves nothing")
    func proof() {
        let (first, second) = (Self.date("2026-11-23"), Self.date("2026-11-24"))
        let days = [first, second]
        #expect(AbsenceProof(days: days, recorded: [first, second], isListed: false) == .absent)
        #expect(AbsenceProof(days: days, recorded: [first, second], isListed: true) == .listed)
        #expect(AbsenceProof(days: days, recorded: [first], isListed: false) == .waiting(for: [second]))
        #expect(AbsenceProof(days: days, recorded: [second], isListed: false) == .waiting(for: [first]))
        #expect(AbsenceProof(days: days, recorded: [first], isListed: true) == .listed)
        #expect(AbsenceProof(days: [], recorded: [first], isListed: false) == .waiting(for: []))
    }
}
