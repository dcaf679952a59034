import Testing

@testable import Contracts

@Suite("A settlement date")
struct SettlementDateTests {
    @Test("is a day of the calendar", arguments: ["2026-11-24", "2024-02-29", "0001-01-01"])
    func valid(text: String) {
        #expect(SettlementDate(text)?.description == text)
    }

    @Test(
        "is nothing else",
        arguments: ["", "2026-11-31", "2025-02-29", "2026-1-1", "20261124", "2026-11-24Z", "２026-11-24"])
    func invalid(text: String) {
        #expect(SettlementDate(text) == nil)
    }

    @Test("counts days over the ends of months and years")
    func adds() {
        let eve = SettlementDate("2026-12-31")
        #expect(eve?.adding(days: 1).description == "2027-01-01")
        #expect(eve?.adding(days: -31).description == "2026-11-30")
    }

    @Test("is the day that the clocks of a zone show")
    func zone() {
        let time = Timestamp(seconds: 1_795_536_000)
        #expect(
            SettlementDate(time, utcOffset: 0).adding(days: 1) == SettlementDate(time + .seconds(86_400), utcOffset: 0))
        #expect(SettlementDate(Timestamp(seconds: 57_600), utcOffset: 8 * 3_600).description == "1970-01-02")
    }

    @Test("days follow each other also behind the last year of a text")
    func late() {
        let last = SettlementDate(Timestamp(seconds: 253_402_300_799), utcOffset: 0)
        #expect(last.description == "9999-12-31")
        #expect(last < last.adding(days: 1))
        #expect(last.adding(days: 1) < last.adding(days: 2))
    }
}
