import Testing

@testable import SandboxDemo

@Suite("The remaining time of a load")
struct LoadProgressTests {
    @Test(
        "follows from the rate, the time or the speed so far",
        arguments: [
            // At a rate: when the last one comes, however many have ended.
            (600, nil, 10, 0, 20, 40), (600, .seconds(30), 10, 0, 20, 10), (nil, .seconds(30), 10, 500, 31, 0),
            // At full speed: at the speed so far.
            (600, nil, nil, 150, 30, 90), (600, .seconds(60), nil, 150, 30, 30), (600, nil, nil, 0, 30, nil),
            (nil, nil, nil, 150, 30, nil), (nil, nil, 10, 150, 30, nil),
        ] as [(Int?, Duration?, Double?, Int, Int, Double?)])
    func remaining(
        payments: Int?, time: Duration?, rate: Double?, ended: Int, elapsed: Int, seconds: Double?
    ) {
        let progress = LoadProgress(payments: payments, time: time, rate: rate)
        #expect(progress.remaining(ended, after: .seconds(elapsed)) == seconds)
    }

    @Test("the line shows how many have ended, how fast, and the remaining time")
    func line() {
        var result = LoadResult()
        for _ in 0..<5 { _ = result.begin(atMost: 10) }
        result.end("paid")
        result.end(without: "the order was not opened", because: "no answer")
        #expect(
            LoadProgress(payments: 20, time: nil, rate: 2).line(result, after: .seconds(4))
                == "2 of 20 payments, 0.5/s, 3 in progress, 1 without an outcome, 6 s left")
        #expect(
            LoadProgress(payments: nil, time: nil, rate: nil).line(result, after: .seconds(4))
                == "2 payments, 0.5/s, 3 in progress, 1 without an outcome, until Ctrl-C")
    }
}
