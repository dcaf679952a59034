import Testing

@testable import KafkaBridge

@Suite struct GroupMachineTests {
    private let p0 = TopicPartition("t", 0)
    private let p1 = TopicPartition("t", 1)
    private let start = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// A machine that owns `partitions` in generation 1, from offset 10.
    private func owning(_ partitions: [TopicPartition]) -> GroupMachine {
        var machine = GroupMachine()
        _ = machine.assigned(partitions, at: start)
        _ = machine.startsFound(
            Dictionary(uniqueKeysWithValues: partitions.map { ($0, 10) }), generation: 1, at: start)
        return machine
    }

    private func lane(_ partition: TopicPartition, _ generation: Int = 1) -> Lane {
        Lane(partition: partition, generation: generation)
    }

    @Test func `partitions are read from where the observer says, or else from the committed offset`() {
        var machine = GroupMachine()
        #expect(machine.assigned([p0, p1], at: start) == [.findStarts([p0, p1], generation: 1)])
        #expect(
            machine.startsFound([p0: 42], generation: 1, at: start) == [
                .assign([p0: 42, p1: GroupMachine.committedOffset]), .start(lane(p0)), .start(lane(p1)),
            ])
        #expect(machine.position(of: p0) == 42)
        #expect(machine.position(of: p1) == nil)
    }

    @Test func `an empty share is answered at once`() {
        var machine = GroupMachine()
        #expect(machine.assigned([], at: start) == [.assign([:])])
        #expect(!machine.isRebalancing)
    }

    @Test func `one commit is under way at a time and takes all that is done`() {
        var machine = owning([p0, p1])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [.commit([p0: 11])])
        #expect(machine.processed(lane(p0), next: 12, at: start) == [])
        #expect(machine.processed(lane(p1), next: 20, at: start) == [])
        #expect(
            machine.commitAnswered([p0: 11], succeeded: true, at: start) == [.commit([p0: 12, p1: 20])])
        #expect(machine.commitAnswered([p0: 12, p1: 20], succeeded: true, at: start) == [])
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
            machine.commitAnswered([p0: 15], succeeded: true, at: start) == [.tellObserver([p0, p1], lost: false)])
        #expect(machine.observerTold(at: start) == [.unassign([p0, p1])])
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
            machine.commitAnswered([p1: 31], succeeded: true, at: start) == [.tellObserver([p0, p1], lost: false)])
    }

    @Test func `a commit that fails while leaving does not keep the group waiting`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        #expect(
            machine.commitAnswered([p0: 11], succeeded: false, at: start) == [.tellObserver([p0], lost: false)])
    }

    @Test func `a commit that is never answered does not keep the group waiting`() {
        var machine = owning([p0])
        _ = machine.processed(lane(p0), next: 11, at: start)
        _ = machine.revoked([p0], lost: false, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        #expect(machine.tick(at: after(2)) == [])
        #expect(machine.tick(at: after(3)) == [.tellObserver([p0], lost: false)])
        #expect(machine.commitAnswered([p0: 11], succeeded: true, at: after(4)) == [])
    }

    @Test func `a handler that does not end is cancelled, then left behind`() {
        var machine = owning([p0, p1])
        _ = machine.revoked([p0, p1], lost: false, at: start)
        _ = machine.laneEnded(lane(p1), at: start)
        #expect(machine.tick(at: after(9)) == [])
        #expect(machine.tick(at: after(10)) == [.cancel(lane(p0))])
        #expect(machine.tick(at: after(12)) == [])
        #expect(machine.tick(at: after(13)) == [.tellObserver([p0, p1], lost: false)])
        #expect(machine.observerTold(at: after(13)) == [.unassign([p0, p1])])
        // What the straggler does now is nobody's business any more.
        #expect(machine.processed(lane(p0), next: 99, at: after(14)) == nil)
        #expect(machine.laneEnded(lane(p0), at: after(14)) == [])
    }

    @Test func `lost partitions are cancelled and nothing of them is committed`() {
        var machine = owning([p0])
        #expect(machine.revoked([p0], lost: true, at: start) == [.finish(lane(p0)), .cancel(lane(p0))])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [])
        #expect(machine.laneEnded(lane(p0), at: start) == [.tellObserver([p0], lost: true)])
        #expect(machine.observerTold(at: start) == [.unassign([p0])])
    }

    @Test func `a batch of an earlier generation is refused`() {
        var machine = owning([p0])
        _ = machine.revoked([p0], lost: true, at: start)
        _ = machine.laneEnded(lane(p0), at: start)
        _ = machine.observerTold(at: start)
        #expect(machine.assigned([p0], at: start) == [.findStarts([p0], generation: 2)])
        _ = machine.startsFound([p0: 10], generation: 2, at: start)
        #expect(machine.processed(lane(p0, 1), next: 50, at: start) == nil)
        #expect(machine.position(of: p0) == 10)
        #expect(machine.processed(lane(p0, 2), next: 11, at: start) == [.commit([p0: 11])])
    }

    @Test func `rebalances are answered one after the other`() {
        var machine = owning([p0])
        _ = machine.revoked([p0], lost: false, at: start)
        #expect(machine.assigned([p0, p1], at: start) == [])
        #expect(machine.laneEnded(lane(p0), at: start) == [.tellObserver([p0], lost: false)])
        #expect(machine.observerTold(at: start) == [.unassign([p0]), .findStarts([p0, p1], generation: 2)])
    }

    @Test func `closing answers an assignment that still looks for its starts, and takes no other`() {
        var machine = GroupMachine()
        _ = machine.assigned([p0], at: start)
        #expect(machine.close(at: start) == [.assign([:])])
        #expect(machine.startsFound([p0: 1], generation: 1, at: start) == [])
        #expect(machine.assigned([p0], at: start) == [.assign([:])])
        #expect(!machine.isRebalancing)
    }

    @Test func `a member that shares incrementally keeps what is not revoked`() {
        var machine = owning([p0, p1])
        _ = machine.revoked([p1], lost: false, at: start)
        _ = machine.laneEnded(lane(p1), at: start)
        #expect(machine.observerTold(at: start) == [.unassign([p1])])
        #expect(machine.processed(lane(p0), next: 11, at: start) == [.commit([p0: 11])])
    }
}
