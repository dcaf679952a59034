import Testing

@testable import KafkaBridge

@Suite struct GroupMachineTests {
    private let p0 = TopicPartition("t", 0)
    private let p1 = TopicPartition("t", 1)
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant {
        start + .milliseconds(Int((seconds * 1_000).rounded()))
    }

    /// A machine that owns `partitions` in generation 1, from offset 10.
    private func owning(_ partitions: [TopicPartition]) -> GroupMachine {
        var machine = GroupMachine()
        _ = machine.assigned(partitions, at: start)
        for partition in partitions { _ = machine.started(lane(partition), at: 10) }
        return machine
    }

    private func lane(_ partition: TopicPartition, _ generation: Int = 1) -> PartitionAssignment {
        PartitionAssignment(partition: partition, generation: generation)
    }

    @Test func `an assignment is answered at once, and each partition begins when its start is known`() {
        var machine = GroupMachine()
        #expect(machine.assigned([p0, p1], at: start) == [.accept, .start(lane(p0)), .start(lane(p1))])
        #expect(!machine.isRebalancing)
        #expect(machine.position(of: p0) == nil)
        #expect(machine.started(lane(p0), at: 42) == [.begin(lane(p0), from: 42, again: false)])
        #expect(machine.position(of: p0) == 42)
        #expect(machine.position(of: p1) == nil)
        let committed = GroupMachine.committedOffset
        #expect(machine.started(lane(p1), at: committed) == [.begin(lane(p1), from: committed, again: false)])
        #expect(machine.position(of: p1) == nil)
    }

    @Test func `a partition that begins again goes on at its new start`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 20, at: start)
        #expect(machine.failing(lane(p0)) == [])
        #expect(machine.started(lane(p0), at: 15) == [.begin(lane(p0), from: 15, again: true)])
        #expect(machine.position(of: p0) == 15)
    }

    @Test func `a revocation waits for no partition that looks for its start or fails`() {
        var machine = GroupMachine()
        _ = machine.assigned([p0, p1], at: start)
        _ = machine.started(lane(p1), at: 10)
        _ = machine.failing(lane(p1))
        #expect(
            machine.revoked([p0, p1], lost: false, at: start) == [
                .finish(lane(p0)), .finish(lane(p1)), .cancel(lane(p0)), .cancel(lane(p1)),
            ])
        #expect(machine.started(lane(p0), at: 10) == [])
        #expect(machine.laneEnded(lane(p0), at: start) == [])
        #expect(machine.laneEnded(lane(p1), at: start) == [.notifyObserver([p0, p1], lost: false)])
    }

    @Test func `a revocation waits again for a partition that failed and whose start has not moved`() {
        var machine = owning([p0])
        _ = machine.failing(lane(p0))
        machine.goesOn(lane(p0, 2))
        var stale = machine
        #expect(stale.revoked([p0], lost: false, at: start) == [.finish(lane(p0)), .cancel(lane(p0))])
        machine.goesOn(lane(p0))
        #expect(machine.revoked([p0], lost: false, at: start) == [.finish(lane(p0))])
    }

    @Test func `a partition that fails while it is to leave is cancelled`() {
        var machine = owning([p0])
        _ = machine.revoked([p0], lost: false, at: start)
        #expect(machine.failing(lane(p0)) == [.cancel(lane(p0))])
    }

    @Test func `an empty share is answered at once`() {
        var machine = GroupMachine()
        #expect(machine.assigned([], at: start) == [.accept])
        #expect(!machine.isRebalancing)
    }

    @Test func `one commit is under way at a time, and the next takes all that is done a little later`() {
        var machine = owning([p0, p1])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [.commit([p0: 11])])
        #expect(machine.processed(lane(p0), next: 12, at: start) == [])
        #expect(machine.tick(at: after(1)) == [])
        #expect(machine.commitAnswered([p0: 11], succeeded: true, at: after(1)) == [])
        #expect(machine.processed(lane(p1), next: 20, at: after(1.1)) == [])
        #expect(machine.tick(at: after(1.1)) == [])
        #expect(machine.tick(at: after(1.2)) == [.commit([p0: 12, p1: 20])])
        #expect(machine.commitAnswered([p0: 12, p1: 20], succeeded: true, at: after(1.3)) == [])
        #expect(machine.tick(at: after(9)) == [])
        #expect(machine.processed(lane(p0), next: 13, at: after(9)) == [.commit([p0: 13])])
    }

    @Test func `what stays is committed while another partition takes its time to leave`() {
        var machine = owning([p0, p1])
        _ = machine.processed(lane(p1), next: 11, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        _ = machine.processed(lane(p1), next: 12, at: start)
        #expect(machine.commitAnswered([p1: 11], succeeded: true, at: start) == [])
        #expect(machine.tick(at: after(0.3)) == [.commit([p1: 12])])
    }

    @Test func `who leaves does not wait for the next commit's time`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.commitAnswered([p0: 11], succeeded: true, at: start)
        _ = machine.processed(lane(p0), next: 12, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        #expect(machine.laneEnded(lane(p0), at: start) == [.commit([p0: 12])])
    }

    @Test func `a failed commit is tried again a second later`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        #expect(machine.commitAnswered([p0: 11], succeeded: false, at: start) == [])
        #expect(machine.tick(at: start) == [])
        #expect(machine.processed(lane(p0), next: 12, at: start) == [])
        #expect(machine.tick(at: after(1)) == [.commit([p0: 12])])
    }

    @Test func `leaving means finish, commit, tell, give back, in this order`() {
        var machine = owning([p0, p1])
        #expect(machine.revoked([p0, p1], lost: false, at: start) == [.finish(lane(p0)), .finish(lane(p1))])
        #expect(machine.laneEnded(lane(p1), at: start) == [])
        #expect(machine.processed(lane(p0), next: 15, at: start) == [.commit([p0: 15])])
        #expect(machine.laneEnded(lane(p0), at: start) == [])
        #expect(
            machine.commitAnswered([p0: 15], succeeded: true, at: start) == [.notifyObserver([p0, p1], lost: false)])
        #expect(machine.observerNotified(at: start) == [.unassign([p0, p1])])
        #expect(!machine.isRebalancing)
        #expect(machine.position(of: p0) == nil)
    }

    @Test func `what is done while the last commit is under way is committed before leaving too`() {
        var machine = owning([p0, p1])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.revoked([p0, p1], lost: false, at: start)
        _ = machine.processed(lane(p1), next: 31, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        #expect(machine.laneEnded(lane(p1), at: start) == [])
        #expect(machine.commitAnswered([p0: 11], succeeded: true, at: start) == [.commit([p1: 31])])
        #expect(
            machine.commitAnswered([p1: 31], succeeded: true, at: start) == [.notifyObserver([p0, p1], lost: false)])
    }

    @Test func `a commit that fails while leaving does not keep the group waiting`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        #expect(
            machine.commitAnswered([p0: 11], succeeded: false, at: start) == [.notifyObserver([p0], lost: false)])
    }

    @Test func `a commit that is never answered does not keep the group waiting`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        #expect(machine.tick(at: after(2)) == [])
        #expect(machine.tick(at: after(3)) == [.notifyObserver([p0], lost: false)])
        #expect(machine.commitAnswered([p0: 11], succeeded: true, at: after(4)) == [])
    }

    @Test func `a handler that does not end is cancelled, then left behind`() {
        var machine = owning([p0, p1])
        _ = machine.revoked([p0, p1], lost: false, at: start)
        _ = machine.laneEnded(lane(p1), at: start)
        #expect(machine.tick(at: after(9)) == [])
        #expect(machine.tick(at: after(10)) == [.cancel(lane(p0))])
        #expect(machine.tick(at: after(12)) == [])
        #expect(machine.tick(at: after(13)) == [.notifyObserver([p0, p1], lost: false)])
        #expect(machine.observerNotified(at: after(13)) == [.unassign([p0, p1])])
        // What the straggler does now is nobody's business any more.
        #expect(machine.processed(lane(p0), next: 99, at: after(14)) == nil)
        #expect(machine.laneEnded(lane(p0), at: after(14)) == [])
    }

    @Test func `lost partitions are cancelled and nothing of them is committed`() {
        var machine = owning([p0])
        #expect(machine.revoked([p0], lost: true, at: start) == [.finish(lane(p0)), .cancel(lane(p0))])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [])
        #expect(machine.laneEnded(lane(p0), at: start) == [.notifyObserver([p0], lost: true)])
        #expect(machine.observerNotified(at: start) == [.unassign([p0])])
    }

    @Test func `a batch of an earlier generation is refused`() {
        var machine = owning([p0])
        _ = machine.revoked([p0], lost: true, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        _ = machine.observerNotified(at: start)
        #expect(machine.assigned([p0], at: start) == [.accept, .start(lane(p0, 2))])
        #expect(machine.started(lane(p0, 1), at: 50) == [])
        _ = machine.started(lane(p0, 2), at: 10)
        #expect(machine.processed(lane(p0, 1), next: 50, at: start) == nil)
        #expect(machine.position(of: p0) == 10)
        #expect(machine.processed(lane(p0, 2), next: 11, at: start) == [.commit([p0: 11])])
    }

    @Test func `rebalances are answered one after the other`() {
        var machine = owning([p0])
        _ = machine.revoked([p0], lost: false, at: start)
        #expect(machine.assigned([p0, p1], at: start) == [])
        #expect(machine.laneEnded(lane(p0), at: start) == [.notifyObserver([p0], lost: false)])
        #expect(
            machine.observerNotified(at: start) == [
                .unassign([p0]), .accept, .start(lane(p0, 2)), .start(lane(p1, 2)),
            ])
    }

    @Test func `a closing member takes no partitions`() {
        var machine = GroupMachine()
        machine.close()
        #expect(machine.assigned([p0], at: start) == [.accept])
        #expect(!machine.isRebalancing)
    }

    @Test func `a closing member begins no partition that it has, because librdkafka stops the process then`() {
        var machine = GroupMachine()
        _ = machine.assigned([p0], at: start)
        machine.close()
        #expect(machine.started(lane(p0), at: 7) == [])
        #expect(machine.revoked([p0], lost: false, at: start).contains(.finish(lane(p0))))
    }

    @Test func `a member that shares incrementally keeps what is not revoked`() {
        var machine = owning([p0, p1])
        _ = machine.revoked([p1], lost: false, at: start)
        _ = machine.laneEnded(lane(p1), at: start)
        #expect(machine.observerNotified(at: start) == [.unassign([p1])])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [.commit([p0: 11])])
    }
}
