import Testing

@testable import OrchardPostgres

@Suite("The pool's decisions")
struct PoolMachineTests {
    private let now = ContinuousClock.now

    private func expect<Value: Equatable>(
        _ answer: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer == expected, sourceLocation: sourceLocation)
    }

    @Test func waitersAreServedInTheirOrder() {
        var machine = PoolMachine(maximumWaiters: 10)
        expect(machine.acquire(1, until: now), .wait)
        expect(machine.acquire(2, until: now), .wait)
        expect(machine.offer(0), .hand(to: 1))
        expect(machine.release(0, isUsable: true), .hand(to: 2))
        expect(machine.release(0, isUsable: true), .keep)
        expect(machine.acquire(3, until: now), .lease(0))
    }

    @Test func theWarmestConnectionIsLentFirst() {
        var machine = PoolMachine(maximumWaiters: 0)
        expect(machine.offer(0), .keep)
        expect(machine.offer(1), .keep)
        expect(machine.acquire(1, until: now), .lease(1))
    }

    @Test func anUnusableConnectionIsNotLentAgain() {
        var machine = PoolMachine(maximumWaiters: 10)
        _ = machine.offer(0)
        _ = machine.acquire(1, until: now)
        expect(machine.acquire(2, until: now), .wait)
        expect(machine.release(0, isUsable: false), .retire)
        expect(machine.offer(0), .hand(to: 2))
    }

    @Test func waitersAreBounded() {
        var machine = PoolMachine(maximumWaiters: 1)
        expect(machine.acquire(1, until: now), .wait)
        expect(machine.acquire(2, until: now), .refuse(.poolExhausted))
    }

    @Test func aWaiterLeavesOnceByItselfOrByTime() {
        var machine = PoolMachine(maximumWaiters: 10)
        _ = machine.acquire(1, until: now)
        _ = machine.acquire(2, until: now + .seconds(1))
        _ = machine.acquire(3, until: now + .seconds(2))
        let cancelled = [machine.cancel(1), machine.cancel(1)]
        #expect(cancelled == [true, false])
        expect(machine.expire(at: now + .seconds(1)), [2])
        expect(machine.offer(0), .hand(to: 3))
    }

    @Test func onlyAFreeConnectionIsTakenAside() {
        var machine = PoolMachine(maximumWaiters: 10)
        _ = machine.offer(0)
        let taken = [machine.setAside(0), machine.setAside(0)]
        #expect(taken == [true, false])
        expect(machine.acquire(1, until: now), .wait)
        expect(machine.offer(0), .hand(to: 1))
        let takenFromItsUser = machine.setAside(0)
        #expect(!takenFromItsUser)
    }

    @Test func aClosedPoolRefusesAndRetires() {
        var machine = PoolMachine(maximumWaiters: 10)
        _ = machine.offer(0)
        _ = machine.offer(1)
        _ = machine.acquire(1, until: now)
        let (idle, waiters) = machine.close()
        #expect(idle == [0])
        #expect(waiters == [])
        expect(machine.acquire(2, until: now), .refuse(.poolClosed))
        expect(machine.release(1, isUsable: true), .retire)
        expect(machine.offer(2), .retire)
    }
}
