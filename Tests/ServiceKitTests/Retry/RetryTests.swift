import OrchardServiceKit
import Testing

@Suite("Trying again")
struct RetryTests {
    private struct Away: TransientError { let isTransient = true }
    private struct Wrong: Error {}
    private let start = ContinuousClock.now

    @Test("makes its pauses longer while errors are transient, and reports errors that last")
    func transient() {
        var state = RetryState()
        var pauses: [Duration] = []
        for _ in 0..<8 { pauses.append(state.failed(isTransient: true, at: start).pause) }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
        #expect(!state.failed(isTransient: true, at: start + .milliseconds(1_999)).isReported)
        #expect(state.failed(isTransient: true, at: start + .seconds(2)).isReported)
    }

    @Test("reports at once an error that only an operator can fix, and tries again from time to time")
    func permanent() {
        var state = RetryState()
        _ = state.failed(isTransient: true, at: start)
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            let attempt = state.failed(isTransient: false, at: start)
            #expect(attempt.pause == .seconds(pause))
            #expect(attempt.isReported)
        }
        state.succeeded()
        #expect(state.failingSince == nil)
        #expect(state.failed(isTransient: true, at: start).pause == .milliseconds(100))
    }

    @Test("spreads the pauses of many processes, and returns how long the work has been failing")
    func spread() {
        var generator = SystemRandomNumberGenerator()
        let pauses = (0..<1_000).map { _ in Duration.milliseconds(100).spread(using: &generator) }
        #expect(pauses.allSatisfy { (.milliseconds(50) ... .milliseconds(100)).contains($0) })
        #expect(Set(pauses).count > 100)
        var state = RetryState()
        #expect(state.failing(at: start, then: .seconds(1)) == .zero)
        let pause = state.failed(isTransient: true, at: start).pause
        #expect(state.failing(at: start + .seconds(2), then: pause) == .milliseconds(2_100))
    }

    @Test("continues until the work succeeds")
    func succeeds() async throws {
        let readiness = Readiness()
        let attempts = Locked(0)
        var policy = RetryPolicy()
        policy.firstPause = .milliseconds(1)
        policy.reportAfter = .zero
        let seen = Locked<[Bool]>([])
        try await Retry(component: "books", policy: policy, readiness: readiness, logger: Logger(label: "test"))
            .run("open") {
                seen.withLock { $0.append(readiness.report.isReady) }
                if attempts.withLock({ count -> Int in
                    count += 1
                    return count
                }) < 4 {
                    throw Away()
                }
            }
        #expect(seen.withLock { $0 } == [true, false, false, false])
        #expect(readiness.report.components["books"]?.isReady == true)
        #expect(readiness.report.components["books"]?.reason == "open")
    }

    @Test("ends with an error that is not transient, reported for the component")
    func ends() async {
        let readiness = Readiness()
        let retry = Retry(component: "books", readiness: readiness, logger: Logger(label: "test"))
        await #expect(throws: Wrong.self) { try await retry.run("open") { throw Wrong() } }
        #expect(readiness.report.components["books"]?.isReady == false)
    }
}
