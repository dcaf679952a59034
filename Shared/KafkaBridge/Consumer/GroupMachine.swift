/// What a member of a consumer group does: pure, so that it can be tested as a table.
///
/// Partitions come (`assigned` → answered at once, a lane for each; a lane finds its start and begins) and go
/// (`revoked` → finish the lanes → commit → inform the observer → unassign). A lane is the work on one partition while it
/// is owned. Each rebalance is answered once, also while closing: librdkafka waits for it. A lane that finds no start, or
/// whose handler fails, delays no rebalance: it is cancelled as soon as its partition is to leave.
struct GroupMachine {
    typealias Instant = ContinuousClock.Instant

    enum Action: Equatable {
        /// Answer an assignment: the group's rebalance ends, nothing is read yet.
        case accept
        /// Find the lane's start and call `started`, then work on it.
        case start(PartitionAssignment)
        /// Read the lane's partition from this offset on.
        case begin(PartitionAssignment, from: Int64, again: Bool)
        /// Hand the lane no more batches; `laneEnded` tells when its handler has returned.
        case finish(PartitionAssignment)
        /// Cancel the lane's handler.
        case cancel(PartitionAssignment)
        /// Commit, then call `commitAnswered`.
        case commit([TopicPartition: Int64])
        /// Inform the observer, then call `observerNotified`.
        case notifyObserver([TopicPartition], lost: Bool)
        /// Answer a revocation.
        case unassign([TopicPartition])
    }

    /// How long a revocation waits for handlers, then for cancelled handlers, then for the last commit.
    struct Timeouts {
        var handlers = Duration.seconds(10)
        var cancelled = Duration.seconds(3)
        var commit = Duration.seconds(3)
        /// How long after a commit the next is made. The database knows what was processed; the group's offsets follow.
        var pause = Duration.milliseconds(200)
        /// How long after a failed commit the next is tried.
        var retry = Duration.seconds(1)
    }

    private struct Leaving {
        enum Stage: Equatable { case finishing, cancelled, committing, notifying }
        var partitions: [TopicPartition]
        var lost: Bool
        var stage: Stage
        var deadline: Instant
    }

    private enum Event {
        case assigned([TopicPartition])
        case revoked([TopicPartition], lost: Bool)
    }

    private struct Progress {
        var generation: Int
        /// nil until it is found.
        var start: Int64?
        /// Whether its last attempt failed, so that there is nothing worth waiting for.
        var isFailing = false
        var hasEnded = false
        var done: Int64?
        var committed: Int64?

        var isWorking: Bool { start != nil && !isFailing }
    }

    private let timeouts: Timeouts
    private(set) var generation = 0
    private var assignments: [TopicPartition: Progress] = [:]
    private var leaving: Leaving?
    private var waiting: [Event] = []
    private var isCommitting = false
    private var nextCommit: Instant?
    private var isClosing = false

    init(timeouts: Timeouts = Timeouts()) { self.timeouts = timeouts }

    /// The offset below which everything of an owned partition is processed, `nil` while that is not known.
    func position(of partition: TopicPartition) -> Int64? {
        guard let progress = assignments[partition], let start = progress.start else { return nil }
        return progress.done ?? (start >= 0 ? start : nil)
    }

    /// Whether an unanswered rebalance is on the way.
    var isRebalancing: Bool { leaving != nil }

    /// Whether no partition is owned.
    var isIdle: Bool { assignments.isEmpty && leaving == nil }

    mutating func assigned(_ partitions: [TopicPartition], at now: Instant) -> [Action] {
        guard !isRebalancing else {
            waiting.append(.assigned(partitions))
            return []
        }
        guard !isClosing, !partitions.isEmpty else { return [.accept] + next(at: now) }
        generation += 1
        for partition in partitions { assignments[partition] = Progress(generation: generation) }
        return [.accept] + partitions.map { .start(PartitionAssignment(partition: $0, generation: generation)) }
            + next(at: now)
    }

    /// A lane knows where its partition begins: for the first time, or again after a failure.
    mutating func started(_ assignment: PartitionAssignment, at offset: Int64) -> [Action] {
        // librdkafka 2.0.2 ends the process when it is given a partition while it leaves the group (an assertion in
        // rd_kafka_cgrp_terminated).
        guard !isClosing, let progress = assignments[assignment.partition],
            progress.generation == assignment.generation, !isLeaving(assignment.partition)
        else { return [] }
        assignments[assignment.partition] = Progress(
            generation: assignment.generation, start: offset, committed: progress.committed)
        return [.begin(assignment, from: offset, again: progress.start != nil)]
    }

    /// An attempt of the lane failed: its partition waits for nothing when it is to leave.
    mutating func failing(_ assignment: PartitionAssignment) -> [Action] {
        guard assignments[assignment.partition]?.generation == assignment.generation else { return [] }
        assignments[assignment.partition]?.isFailing = true
        return isLeaving(assignment.partition) ? [.cancel(assignment)] : []
    }

    /// A lane has found its start where its work stands: an attempt that failed before is over.
    mutating func goesOn(_ assignment: PartitionAssignment) {
        guard assignments[assignment.partition]?.generation == assignment.generation else { return }
        assignments[assignment.partition]?.isFailing = false
    }

    mutating func revoked(_ partitions: [TopicPartition], lost: Bool, at now: Instant) -> [Action] {
        guard !isRebalancing else {
            waiting.append(.revoked(partitions, lost: lost))
            return []
        }
        leaving = Leaving(
            partitions: partitions, lost: lost, stage: lost ? .cancelled : .finishing,
            deadline: now + (lost ? timeouts.cancelled : timeouts.handlers))
        let going = partitions.sorted().compactMap { partition in
            assignments[partition].map { PartitionAssignment(partition: partition, generation: $0.generation) }
        }
        let stuck = going.filter { lost || assignments[$0.partition]?.isWorking == false }
        return going.map { .finish($0) } + stuck.map { .cancel($0) } + advance(at: now)
    }

    /// A handler returned; everything of its partition below `next` is processed.
    ///
    /// - Returns: `nil` when the lane is stale: another member may own the partition, so nothing is committed.
    mutating func processed(_ assignment: PartitionAssignment, next: Int64, at now: Instant) -> [Action]? {
        guard assignments[assignment.partition]?.generation == assignment.generation else { return nil }
        assignments[assignment.partition]?.done = next
        assignments[assignment.partition]?.isFailing = false
        return commit(at: now)
    }

    mutating func laneEnded(_ assignment: PartitionAssignment, at now: Instant) -> [Action] {
        guard assignments[assignment.partition]?.generation == assignment.generation else { return [] }
        assignments[assignment.partition]?.hasEnded = true
        return advance(at: now)
    }

    mutating func commitAnswered(_ offsets: [TopicPartition: Int64], succeeded: Bool, at now: Instant) -> [Action] {
        isCommitting = false
        nextCommit = now + (succeeded ? timeouts.pause : timeouts.retry)
        if succeeded { for (partition, offset) in offsets { assignments[partition]?.committed = offset } }
        if leaving?.stage == .committing { return succeeded ? advance(at: now) : notify() }
        return advance(at: now)
    }

    mutating func observerNotified(at now: Instant) -> [Action] {
        guard let leaving, leaving.stage == .notifying else { return [] }
        for partition in leaving.partitions { assignments[partition] = nil }
        self.leaving = nil
        return [.unassign(leaving.partitions)] + next(at: now)
    }

    /// The consumer closes: nothing new is begun. Partitions go by the revocation that follows.
    mutating func close() { isClosing = true }

    /// Time has passed: deadlines are checked, and commits are made.
    mutating func tick(at now: Instant) -> [Action] {
        guard let leaving else { return commit(at: now) }
        guard now >= leaving.deadline else {
            // What stays does not wait for what leaves.
            return leaving.stage == .finishing || leaving.stage == .cancelled ? commit(at: now) : []
        }
        switch leaving.stage {
        case .finishing:
            move(to: .cancelled, until: now + timeouts.cancelled)
            return leaving.partitions.compactMap { partition in
                guard let assignment = assignments[partition], !assignment.hasEnded else { return nil }
                return .cancel(PartitionAssignment(partition: partition, generation: assignment.generation))
            }
        case .cancelled: return commitLast(at: now)
        case .committing: return notify()
        case .notifying: return []
        }
    }

    // MARK: Steps of leaving

    private func isLeaving(_ partition: TopicPartition) -> Bool { leaving?.partitions.contains(partition) ?? false }

    private mutating func advance(at now: Instant) -> [Action] {
        guard let leaving else { return [] }
        switch leaving.stage {
        case .finishing, .cancelled:
            let isQuiet = leaving.partitions.allSatisfy { assignments[$0]?.hasEnded != false }
            return isQuiet ? commitLast(at: now) : []
        case .committing: return commitLast(at: now)
        case .notifying: return []
        }
    }

    private mutating func commitLast(at now: Instant) -> [Action] {
        guard let leaving, !leaving.lost else { return notify() }
        if leaving.stage != .committing {
            move(to: .committing, until: now + timeouts.commit)
        }
        if isCommitting { return [] }
        nextCommit = nil
        let actions = commit(at: now)
        return actions.isEmpty ? notify() : actions
    }

    private mutating func move(to stage: Leaving.Stage, until deadline: Instant) {
        leaving?.stage = stage
        leaving?.deadline = deadline
    }

    private mutating func notify() -> [Action] {
        guard let leaving, leaving.stage != .notifying else { return [] }
        self.leaving?.stage = .notifying
        return [.notifyObserver(leaving.partitions, lost: leaving.lost)]
    }

    private mutating func commit(at now: Instant) -> [Action] {
        guard !isCommitting, leaving?.lost != true else { return [] }
        if let nextCommit, now < nextCommit { return [] }
        let offsets = assignments.compactMapValues { $0.done == $0.committed ? nil : $0.done }
        guard !offsets.isEmpty else { return [] }
        isCommitting = true
        return [.commit(offsets)]
    }

    private mutating func next(at now: Instant) -> [Action] {
        guard !waiting.isEmpty else { return [] }
        switch waiting.removeFirst() {
        case .assigned(let partitions): return assigned(partitions, at: now)
        case .revoked(let partitions, let lost): return revoked(partitions, lost: lost, at: now)
        }
    }

    /// librdkafka's number for "where the group committed".
    static let committedOffset: Int64 = -1000
}
