import OrchardHTTPTypes
import OrchardServiceKit
import Testing

@testable import OrchardHTTPServer

@Suite("The limit of a caller's requests")
struct RateLimiterTests {
    private let metrics = MetricsRegistry(service: "test")
    private let start = ContinuousClock.now

    private func limiter(_ rate: Int, capacity: Int = 100) -> RateLimiter {
        RateLimiter(of: .ticket, rate: rate, capacity: capacity, metrics: metrics)
    }

    /// How many of `count` requests at one time are accepted.
    private func accepted(_ limiter: RateLimiter, _ name: String, _ count: Int, after pause: Duration) -> Int {
        (0..<count).count { _ in limiter.delay(of: name, at: start + pause) == nil }
    }

    @Test(
        "accepts four seconds' worth at once, 20 at least, and then the rate",
        arguments: [(1, 20), (5, 20), (10, 40), (500, 2_000)])
    func rate(_ rate: Int, _ burst: Int) {
        let limiter = limiter(rate)
        #expect(accepted(limiter, "a", burst + 10, after: .zero) == burst)
        #expect(accepted(limiter, "a", rate + 10, after: .seconds(1)) == rate)
        #expect(accepted(limiter, "a", burst + 10, after: .seconds(3_600)) == burst)
    }

    @Test("is each caller's own")
    func callers() {
        let limiter = limiter(1)
        #expect(accepted(limiter, "a", 30, after: .zero) == 20)
        #expect(accepted(limiter, "b", 30, after: .zero) == 20)
    }

    @Test("says when to come again, with 429 and Retry-After, and is counted")
    func answer() throws {
        let limiter = limiter(2)
        for _ in 1...20 { try limiter.admit("order", at: start) }
        let problem = #expect(throws: Problem.self) { try limiter.admit("order", at: start) }
        #expect(problem?.status == .tooManyRequests && problem?.code == "rate-limited")
        #expect(problem?.fields["Retry-After"] == "1")
        #expect(limiter.delay(of: "order", at: start) == .milliseconds(500))
        #expect(throws: Never.self) { try limiter.admit("order", at: start + .milliseconds(500)) }
        #expect(metrics.expose().contains(#"http_server_rate_limited_requests_total{caller="ticket"} 1"#))
    }

    @Test("0 is no limit")
    func off() {
        #expect(accepted(limiter(0), "a", 10_000, after: .zero) == 10_000)
    }

    @Test(
        "remembers a limited number of callers: those who are on schedule are forgotten first, and nobody is refused for others"
    )
    func memory() {
        let limiter = limiter(1, capacity: 3)
        for name in ["a", "b", "c"] { #expect(limiter.delay(of: name, at: start) == nil) }
        #expect(accepted(limiter, "d", 30, after: .zero) == 30)
        #expect(accepted(limiter, "a", 30, after: .zero) == 19)
        #expect(limiter.count == 3)
        #expect(accepted(limiter, "d", 30, after: .seconds(2)) == 20)
        #expect(limiter.count == 2)
    }
}
