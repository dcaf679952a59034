import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardPostgres

@Suite("Turns", .timeLimit(.minutes(4)))
struct ConnectionLockTests {
    @Test func goToWhoeverHasWaitedLongest() async throws {
        let turns = ConnectionLock()
        let order = Locked<[Int]>([])
        await turns.acquire()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        await turns.acquire()
                    } else {
                        _ = await turns.acquireUnlessCancelled()
                    }
                    order.withLock { $0.append(number) }
                    turns.pass()
                }
                try await eventually { turns.length == number + 1 }
            }
            turns.pass()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func areNotAwaitedByATaskThatIsCancelled() async throws {
        let turns = ConnectionLock()
        await turns.acquire()
        let waiter = Task { await turns.acquireUnlessCancelled() }
        try await eventually { turns.length == 1 }
        waiter.cancel()
        #expect(await waiter.value == false)
        #expect(turns.length == 0)
        // The next one gets the turn, not the one that has left.
        turns.pass()
        #expect(await turns.acquireUnlessCancelled())
    }

    @Test func areAwaitedAlsoByACancelledTaskThatMustDoItsWork() async throws {
        let turns = ConnectionLock()
        await turns.acquire()
        let waiter = Task { await turns.acquire() }
        waiter.cancel()
        try await eventually { turns.length == 1 }
        turns.pass()
        await waiter.value
    }
}
