import Testing

@testable import SandboxDemo

@Suite("When the customers of a load arrive")
struct ArrivalScheduleTests {
    @Test(
        "the number follows from rate and time, and from the requested number",
        arguments: [
            (10, nil, .seconds(3), 30), (10, 20, .seconds(3), 20), (10, 40, .seconds(3), 30),
            (0.5, nil, .seconds(3), 2), (10, 7, nil, 7), (10, nil, nil, nil), (0.1, nil, .seconds(1), 1),
        ] as [(Double, Int?, Duration?, Int?)])
    func count(rate: Double, payments: Int?, time: Duration?, count: Int?) {
        #expect(ArrivalSchedule(rate: rate, payments: payments, time: time).count == count)
    }

    @Test("arrivals have fixed distances, also after a million")
    func times() {
        let schedule = ArrivalSchedule(rate: 40)
        #expect(schedule.time(of: 0) == .zero)
        #expect(schedule.time(of: 1) == .milliseconds(25))
        #expect(schedule.time(of: 1_000_000) == .seconds(25_000))
    }

    @Test("a late call gets all arrivals so far, each once and with its own time")
    func late() {
        var schedule = ArrivalSchedule(rate: 10, payments: 6)
        expect(&schedule, at: .milliseconds(-1), 0..<0)
        expect(&schedule, at: .zero, 0..<1)
        #expect(schedule.nextTime == .milliseconds(100))
        expect(&schedule, at: .milliseconds(99), 1..<1)
        // A stall of a third of a second does not move the arrivals.
        expect(&schedule, at: .milliseconds(430), 1..<5)
        #expect(schedule.time(of: 1) == .milliseconds(100))
        expect(&schedule, at: .seconds(9), 5..<6)
        #expect(schedule.nextTime == nil)
        expect(&schedule, at: .seconds(10), 6..<6)
    }

    private func expect(
        _ schedule: inout ArrivalSchedule, at elapsed: Duration, _ customers: Range<Int>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let due = schedule.takeDue(at: elapsed)
        #expect(due == customers, sourceLocation: location)
    }
}
