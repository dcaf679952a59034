import Testing

@testable import OrchardPostgres

@Suite("Pauses between attempts")
struct BackoffTests {
    @Test func doubleUpToFiveSeconds() {
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        var limit = Duration.milliseconds(100)
        for _ in 0..<10 {
            let pause = backoff.pause(using: &generator)
            #expect(pause >= limit / 2 && pause <= limit)
            limit = min(limit * 2, .seconds(5))
        }
        #expect(limit == .seconds(5))
    }
}
