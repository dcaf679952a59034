import OrchardServiceKit
import Testing

@Suite("Graceful shutdown", .timeLimit(.minutes(10)))
struct GracefulShutdownTests {
    @Test("wakes every task that waits for it, even one that waits later")
    func wakes() async throws {
        let shutdown = GracefulShutdown()
        try await GracefulShutdown.$current.withValue(shutdown) {
            async let waiting: Void = gracefulShutdown()
            shutdown.begin()
            shutdown.begin()
            try await waiting
            try await gracefulShutdown()
        }
    }

    @Test("cancels a loop without work to finish")
    func cancelsLoop() async {
        let shutdown = GracefulShutdown()
        await GracefulShutdown.$current.withValue(shutdown) {
            await #expect(throws: CancellationError.self) {
                try await cancelWhenGracefulShutdown {
                    shutdown.begin()
                    try await Task.sleep(for: .seconds(3_600))
                }
            }
        }
    }

    @Test("does not disturb an operation that ends by itself, or has no shutdown")
    func result() async throws {
        #expect(try await cancelWhenGracefulShutdown { 7 } == 7)
        let eight = try await GracefulShutdown.$current.withValue(GracefulShutdown()) {
            try await cancelWhenGracefulShutdown { 8 }
        }
        #expect(eight == 8)
    }

    @Test("a handler runs once, and not after its scope")
    func handlers() async {
        let shutdown = GracefulShutdown()
        let calls = Locked(0)
        await GracefulShutdown.$current.withValue(shutdown) {
            await withGracefulShutdownHandler {
            } onGracefulShutdown: {
                calls.withLock { $0 += 10 }
            }
            await withGracefulShutdownHandler {
                shutdown.begin()
            } onGracefulShutdown: {
                calls.withLock { $0 += 1 }
            }
        }
        #expect(calls.withLock { $0 } == 1)
    }
}
