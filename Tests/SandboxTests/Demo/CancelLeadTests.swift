import Testing

@testable import SandboxDemo

@Suite("The lead of a cancel in its race")
struct CancelLeadTests {
    @Test(
        "moves from either side to the point where charge and cancel are equally fast",
        arguments: [-900, -300, -60, -5, 5, 60, 300, 900].map { Duration.milliseconds($0) })
    func finds(level: Duration) {
        let cancelLead = CancelLead()
        var won: [Bool] = []
        for _ in 0..<12 {
            let chargeWins = cancelLead.time < level
            won.append(chargeWins)
            cancelLead.raced(chargeWon: chargeWins)
        }
        #expect(Set(won) == [true, false])
        #expect(won[0] == (level > .zero))
    }

    @Test("has a limit")
    func longest() {
        let cancelLead = CancelLead()
        for _ in 0..<40 { cancelLead.raced(chargeWon: true) }
        #expect(cancelLead.time == .seconds(3))
        for _ in 0..<40 { cancelLead.raced(chargeWon: false) }
        #expect(cancelLead.time == .milliseconds(-1_350))
    }
}
