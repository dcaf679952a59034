import Testing

@testable import Contracts

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "are written as RFC 3339 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (1_516_974_918_000_000, "2018-01-26T13:55:18Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func writes(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
        #expect(Timestamp(rfc3339: text) == Timestamp(microseconds: microseconds))
    }

    @Test(
        "are read with an offset and a fraction",
        arguments: [
            ("2026-11-21T22:03:07+08:00", "2026-11-21T14:03:07Z"),
            ("2026-11-21T00:30:00-05:30", "2026-11-21T06:00:00Z"),
            ("2026-11-21T14:03:07.5Z", "2026-11-21T14:03:07.500000Z"),
        ])
    func reads(text: String, utc: String) {
        #expect(Timestamp(rfc3339: text)?.description == utc)
    }

    @Test(
        "that are malformed are refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T14:03:07", "2026-11-21 14:03:07Z", "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T14:60:00Z",
            "2026-11-21T14:03:60Z", "2026-11-21T14:03:07.Z", "2026-11-21T14:03:07.1234567Z", "2026-11-21T14:03:07Z ",
            "2026-11-21T14:03:07+24:00", "２026-11-21T14:03:07Z",
        ])
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("are Beijing time eight hours ahead")
    func beijing() throws {
        let time = CivilTime(try #require(Timestamp(rfc3339: "2026-12-31T16:00:01Z")), utcOffset: 8 * 3_600)
        #expect(time == CivilTime(year: 2027, month: 1, day: 1, second: 1))
        #expect(time.timestamp(utcOffset: 8 * 3_600).description == "2026-12-31T16:00:01Z")
    }

    @Test("round trip through the calendar for every day of 800 years")
    func everyDay() {
        for day in stride(from: Int64(-100_000), to: 192_000, by: 1) {
            let time = Timestamp(seconds: day * 86_400 + 86_399)
            let civil = CivilTime(time)
            #expect(civil.timestamp() == time)
        }
    }

    @Test("are rounded down to seconds, before 1970 too")
    func seconds() {
        #expect(Timestamp(microseconds: 1_999_999).seconds == 1)
        #expect(Timestamp(microseconds: -1).seconds == -1)
        #expect(Timestamp(microseconds: -1_000_000).seconds == -1)
    }
}
