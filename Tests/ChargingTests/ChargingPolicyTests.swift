import Contracts
import Testing

@testable import Charging

@Suite("The query schedule")
struct ChargingPolicyTests {
    @Test(
        "asks at its points after the send, and leaves out those that were missed",
        arguments: [
            (0, 3), (3, 5), (4, 5), (5, 9), (9, 17), (17, 33), (33, 65), (65, 300), (300, 1_800), (1_800, 7_200),
            (7_200, 14_400), (14_399, 14_400), (14_400, 21_600), (100_000, 100_800),
        ] as [(Int, Int)])
    func next(after: Int, asked: Int) {
        let sent = Sample.start
        #expect(
            ChargingPolicy().query(after: sent + .seconds(after), sentAt: sent) == sent + .seconds(asked))
    }

    @Test("waits longer each time and then evenly", arguments: [(0, 1), (1, 1), (2, 2), (4, 8), (5, 15), (99, 15)])
    func backOff(count: Int, seconds: Int) {
        #expect(ChargingPolicy.backOff(ChargingPolicy().notSentBackOff, count) == .seconds(seconds))
    }
}
