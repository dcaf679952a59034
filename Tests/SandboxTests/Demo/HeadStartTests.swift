import Testing

@testable import SandboxDemo

@Suite("The head start of a cancel")
struct HeadStartTests {
    @Test(
        "moves to where charge and cancel are level, from either side",
        arguments: [-900, -300, -60, -5, 5, 60, 300, 900].map { Duration.milliseconds($0) })
    func finds(level: Duration) {
        let headStart = HeadStart()
        var won: [Bool] = []
        for _ in 0..<12 {
            let chargeWins = headStart.time < level
            won.append(chargeWins)
            headStart.raced(chargeWon: chargeWins)
        }
        #expect(Set(won) == [true, false])
        #expect(won[0] == (level > .zero))
    }

    @Test("has an end")
    func longest() {
        let headStart = HeadStart()
        for _ in 0..<40 { headStart.raced(chargeWon: true) }
        #expect(headStart.time == .seconds(3))
        for _ in 0..<40 { headStart.raced(chargeWon: false) }
        #expect(headStart.time == .milliseconds(-1_350))
    }
}
