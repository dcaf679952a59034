import Contracts
import Testing

@testable import Charging

@Suite("Which settlement files are fetched")
struct SettlementPlanTests {
    private static let calendar = SettlementCalendar.unionPay
    private static let policy = {
        var policy = SettlementPlan.Policy()
        policy.days = 5
        return policy
    }()

    private static func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? Timestamp(seconds: 0) }
    private static func dates(_ days: [Int]) -> Set<SettlementDate> {
        Set(days.compactMap { SettlementDate(year: 2026, month: 11, day: $0) })
    }

    private static func plan(
        _ moment: String, recorded: [Int] = [], expected: [Int] = []
    ) -> (fetch: [Int], overdue: [Int]) {
        let plan = SettlementPlan(
            at: time(moment), in: calendar, recorded: dates(recorded), expected: dates(expected), policy)
        return (plan.toFetch.map(\.day), plan.overdue.map(\.day))
    }

    @Test("a day's from an hour after its end, not before")
    func margin() {
        #expect(Self.plan("2026-11-23T15:59:59Z").fetch == [20, 21, 22])
        #expect(Self.plan("2026-11-23T16:00:00Z").fetch == [21, 22, 23])
    }

    @Test("those that were missed, where something was charged, the oldest first; none twice")
    func missed() {
        let moment = "2026-11-23T16:00:00Z"
        #expect(Self.plan(moment, recorded: [21, 22, 23]).fetch == [])
        #expect(Self.plan(moment, recorded: [22], expected: [18, 19, 20]).fetch == [19, 20, 21, 23])
        #expect(Self.plan(moment, recorded: [19, 20, 21, 22, 23], expected: [19, 20]).fetch == [])
    }

    @Test("and reported as overdue half a day later, where something was charged")
    func overdue() {
        #expect(Self.plan("2026-11-24T02:59:59Z", recorded: [22], expected: [22, 23]).overdue == [])
        #expect(Self.plan("2026-11-24T03:00:00Z", recorded: [22], expected: [22, 23]).overdue == [23])
        #expect(Self.plan("2026-11-24T03:00:00Z", recorded: [], expected: []).overdue == [])
    }
}
