import OrchardServiceKit
import TestSupport
import Testing

@testable import OrchardPostgres

@Suite("Turns", .timeLimit(.minutes(4)))
struct TurnQueueTests {
    @Test func goToWhoeverHasWaitedLongest() async throws {
        let turns = TurnQueue()
        let order = Locked<[Int]>([])
        await turns.take()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    if number.isMultiple(of: 2) { await turns.take() } else { _ = await turns.takeUnlessCancelled() }
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
        let turns = TurnQueue()
        await turns.take()
        let waiter = Task { await turns.takeUnlessCancelled() }
        try await eventually { turns.length == 1 }
        waiter.cancel()
        #expect(await waiter.value == false)
        #expect(turns.length == 0)
        // The next one gets the turn, not the one that has left.
        turns.pass()
        #expect(await turns.takeUnlessCancelled())
    }

    @Test func areAwaitedAlsoByACancelledTaskThatMustDoItsWork() async throws {
        let turns = TurnQueue()
        await turns.take()
        let waiter = Task { await turns.take() }
        waiter.cancel()
        try await eventually { turns.length == 1 }
        turns.pass()
        await waiter.value
    }
}
