import OrchardServiceKit
import Testing

@Suite("Services that wait for the start checks", .timeLimit(.minutes(10)))
struct StartGateTests {
    /// Reports when it runs.
    private struct Probe: Service {
        let ran: AsyncStream<Void>.Continuation

        func run() async throws {
            ran.yield()
            try? await gracefulShutdown()
        }
    }

    private struct Refusal: Error {}

    @Test("A service behind the gate runs after the checks have passed")
    func opens() async throws {
        let (checked, check) = AsyncStream<Void>.makeStream()
        let (ran, continuation) = AsyncStream<Void>.makeStream()
        let gate = StartGate { for await _ in checked { return } }
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gate.run() }
                group.addTask { try await gate.holding(Probe(ran: continuation)).run() }
                check.yield()
                for await _ in ran { break }
                shutdown.begin()
                try await group.waitForAll()
            }
        }
    }

    @Test("A service that is stopped before the checks have passed never runs")
    func stopped() async throws {
        let (ran, continuation) = AsyncStream<Void>.makeStream()
        let gate = StartGate { try await Task.sleep(for: .seconds(3_600)) }
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gate.run() }
                group.addTask { try await gate.holding(Probe(ran: continuation)).run() }
                shutdown.begin()
                try await group.waitForAll()
            }
        }
        continuation.finish()
        for await _ in ran { Issue.record("the service ran") }
    }

    @Test("A check that fails ends the gate with its error")
    func fails() async {
        let gate = StartGate { throw Refusal() }
        await #expect(throws: Refusal.self) { try await gate.run() }
    }
}
