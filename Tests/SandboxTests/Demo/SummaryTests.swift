import Testing

@testable import SandboxDemo

@Suite("The summary of the demo")
struct SummaryTests {
    @Test(
        "computes percentiles by the nearest rank",
        arguments: [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100), (0, 1)] as [(Double, Int)])
    func percentile(share: Double, milliseconds: Int) {
        let latencies = Latencies((1...100).shuffled().map { .milliseconds($0) })
        #expect(latencies.percentile(share) == .milliseconds(milliseconds))
    }

    @Test("the rank is rounded up", arguments: [(0.5, 2), (0.34, 2), (0.33, 1), (0.95, 3)] as [(Double, Int)])
    func rank(share: Double, milliseconds: Int) {
        let latencies = Latencies([3, 1, 2].map { .milliseconds($0) })
        #expect(latencies.percentile(share) == .milliseconds(milliseconds))
    }

    @Test("the percentile of nothing is zero")
    func empty() {
        #expect(Latencies([]).percentile(0.5) == .zero)
    }

    @Test("sums the pages of equal workers")
    func metrics() {
        let page = MetricsPage(
            """
            # HELP charges_total Charges.
            # TYPE charges_total counter
            charges_total{outcome="declined"} 2
            charges_total{outcome="succeeded",merchant="a"} 3
            charges_totals 100
            """)
        let sum = page + page
        #expect(sum.total("charges_total", ["outcome": "succeeded"]) == 6)
        #expect(sum.total("charges_total") == 10)
        #expect(sum.total("missing") == 0)
    }
}
