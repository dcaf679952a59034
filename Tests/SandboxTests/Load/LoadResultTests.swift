import Testing

@testable import SandboxDemo

@Suite("The result of a load")
struct LoadResultTests {
    /// Customers 1 to 100; number n took n milliseconds.
    private var hundred: LoadResult {
        var result = LoadResult()
        for number in (1...100).shuffled() {
            _ = result.begin(atMost: 1_000)
            result.add(.milliseconds(number), of: .paid)
            result.end("paid")
        }
        result.elapsed = .seconds(10)
        result.cpuTime = .microseconds(50_500)
        return result
    }

    @Test(
        "percentiles use the nearest rank",
        arguments: [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100)] as [(Double, Int)])
    func percentile(share: Double, milliseconds: Int) {
        #expect(hundred.percentile(share, of: .paid) == .milliseconds(milliseconds))
    }

    @Test("it is complete when every payment has an outcome, whatever it is")
    func complete() {
        var result = hundred
        #expect(result.isComplete && result.paid == 100)
        _ = result.begin(atMost: 1_000)
        #expect(!result.isComplete && result.underWay == 1)
        result.end("declined: insufficientFunds")
        #expect(result.isComplete && result.paid == 100)
    }

    @Test("a payment without an outcome makes it incomplete")
    func missing() {
        var result = hundred
        _ = result.begin(atMost: 1_000)
        result.end(without: "the device got none", because: "payment p of order o: processing")
        #expect(!result.isComplete && result.withoutOutcome == 1 && result.underWay == 0)
    }

    @Test("a customer above the limit makes it incomplete")
    func skipped() {
        var result = LoadResult()
        let isFirstTaken = result.begin(atMost: 1)
        let isSecondTaken = result.begin(atMost: 1)
        result.end("paid")
        #expect(isFirstTaken && !isSecondTaken && !result.isComplete && result.skipped == 1)
        let isThirdTaken = result.begin(atMost: 1)
        #expect(isThirdTaken)
    }

    @Test("the table shows times, outcomes, repeats and what is missing")
    func text() {
        var result = hundred
        _ = result.begin(atMost: 1_000)
        result.end(without: "the order was not opened", because: "order 7 was not opened: status 401")
        for _ in 0..<3 { result.addRepeat(after: "status 503 busy") }
        #expect(
            result.text() == """
                101 payments in 10.0 s, 10.0 paid a second; this program took 0.50 ms of CPU a payment
                                  count      p50      p95      p99     max
                  order               0        -        -        -       -
                  accept              0        -        -        -       -
                  sent → paid       100  50.0 ms  95.0 ms  99.0 ms  100 ms
                  arrival → paid      0        -        -        -       -
                  100  paid
                    1  without an outcome: the order was not opened
                    3  requests repeated after status 503 busy
                  - order 7 was not opened: status 401
                RESULT   1 payments have no outcome, 0 customers were not played
                """)
        #expect(hundred.text().hasSuffix("RESULT   every payment has an outcome"))
        #expect(result.text(isInterrupted: true).hasSuffix("RESULT   interrupted with 0 payments in progress"))
    }

    @Test("the table says when the program itself began late")
    func late() {
        var result = hundred
        result.add(delay: .milliseconds(20))
        #expect(!result.text().contains("began late"))
        result.add(delay: .milliseconds(21))
        #expect(result.text().contains("began late (p99 21.0 ms)"))
    }
}
