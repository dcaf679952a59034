import Dispatch
import Foundation
import Testing

@testable import OrchardServiceKit

@Suite(.timeLimit(.minutes(4))) struct ThreadExecutorTests {
    private actor Worker {
        private let executor: ThreadExecutor
        private var threads: Set<String> = []
        private let onEnd: @Sendable () -> Void

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(onEnd: @escaping @Sendable () -> Void = {}) {
            executor = ThreadExecutor(name: "worker")
            self.onEnd = onEnd
        }

        deinit { executor.finish(onEnd) }

        func work() -> Int {
            threads.insert(Thread.current.name ?? "")
            return threads.count
        }

        /// Blocks like a call into C.
        func block(until semaphore: DispatchSemaphore) { semaphore.wait() }

        func fromOutside() async -> Int {
            await withCheckedContinuation { continuation in
                executor.perform { self.assumeIsolated { continuation.resume(returning: $0.work()) } }
            }
        }

        func ticks(_ count: Int) async {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            executor.tick(every: .milliseconds(1)) { continuation.yield() }
            var seen = 0
            for await _ in stream {
                seen += 1
                if seen == count { return }
            }
        }
    }

    @Test func `everything of an actor runs on its one thread, also what comes from outside`() async {
        let worker = Worker()
        for _ in 0..<100 { #expect(await worker.work() == 1) }
        #expect(await worker.fromOutside() == 1)
    }

    @Test func `calls that block hold up nobody else`() async {
        // More than the pool has threads: if they blocked there, no thread could free them.
        let semaphore = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { await Worker().block(until: semaphore) } }
            #expect(await Worker().work() == 1)
            for _ in 0..<64 { semaphore.signal() }
        }
    }

    @Test func `it ticks while nothing else happens`() async {
        await Worker().ticks(5)
    }

    @Test func `the thread ends with its actor, after a last action`() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        do {
            let worker = Worker(onEnd: { continuation.finish() })
            #expect(await worker.work() == 1)
        }
        for await _ in stream {}
    }
}
