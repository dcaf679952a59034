import Testing

@testable import KafkaBridge

@Suite struct MemberAbsenceTests {
    private let start = ContinuousClock.now

    @Test func `asks only while work stands still, once at a time and now and then`() {
        var absence = MemberAbsence()
        #expect(absence.tick(isStuck: false, isIdle: false, at: start) == .stay)
        #expect(absence.tick(isStuck: true, isIdle: false, at: start) == .ask)
        #expect(absence.tick(isStuck: true, isIdle: false, at: start) == .stay)
        #expect(absence.answered(obstacle: nil, at: start) == .stay)
        #expect(absence.tick(isStuck: true, isIdle: false, at: start) == .stay)
        #expect(absence.tick(isStuck: true, isIdle: false, at: start + .seconds(9)) == .stay)
        #expect(absence.tick(isStuck: true, isIdle: false, at: start + .seconds(10)) == .ask)
    }

    @Test func `leaves with an obstacle, and joins when it is gone and all partitions are given back`() {
        var absence = MemberAbsence()
        _ = absence.tick(isStuck: true, isIdle: false, at: start)
        #expect(absence.answered(obstacle: "no database", at: start) == .leave)
        #expect(absence.reason == "no database")
        #expect(absence.tick(isStuck: true, isIdle: false, at: start + .seconds(1)) == .stay)
        #expect(absence.tick(isStuck: false, isIdle: true, at: start + .seconds(1)) == .ask)
        #expect(absence.answered(obstacle: "still none", at: start + .seconds(1)) == .stay)
        #expect(absence.tick(isStuck: false, isIdle: true, at: start + .seconds(2)) == .ask)
        #expect(absence.answered(obstacle: nil, at: start + .seconds(2)) == .join)
        #expect(absence.reason == nil)
    }
}
