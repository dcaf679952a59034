import OrchardServiceKit

/// Performs what the machine decides.
extension KafkaConsumer {
    func perform(_ actions: [GroupMachine.Action]) {
        for action in actions {
            switch action {
            case .accept:
                failed(handle.assign([:], incrementally: isIncremental))
                status.joined()
            case .start(let lane): start(lane)
            case .begin(let lane, let offset, let again): begin(lane, offset, again)
            case .finish(let lane): if desks[lane.partition]?.lane == lane { desks[lane.partition]?.finish() }
            case .cancel(let lane): if desks[lane.partition]?.lane == lane { desks[lane.partition]?.cancel() }
            case .commit(let offsets): commit(offsets)
            case .tellObserver(let partitions, let lost): newWork.append(.tellObserver(partitions, lost: lost))
            case .unassign(let partitions):
                for partition in partitions {
                    desks[partition]?.cancel()
                    desks[partition] = nil
                    gauges.left(partition)
                }
                failed(handle.unassign(partitions, incrementally: isIncremental))
                // librdkafka may free a topic that nobody reads, and give its address to another.
                reader = RecordReader(handle.names)
                status.gaveBack(partitions)
            }
        }
        if !newWork.isEmpty { signal.signal() }
    }

    /// What the configuration says: asking librdkafka while it closes can hang (librdkafka #4041).
    private var isIncremental: Bool { options.assignment == .cooperativeSticky }

    private func start(_ lane: Lane) {
        let (cancelled, cancellation) = AsyncStream<Never>.makeStream()
        desks[lane.partition] = LaneDesk(lane: lane, cancellation: cancellation)
        newWork.append(.lane(lane, cancelled))
        status.starts(lane.partition)
    }

    /// Reads a partition from an offset on.
    private func begin(_ lane: Lane, _ offset: Int64, _ again: Bool) {
        desks[lane.partition]?.begin(at: offset)
        status.began(lane.partition)
        guard isIncremental else { return mustAssign = true }
        if again { failed(handle.unassign([lane.partition], incrementally: true)) }
        failed(handle.assign([lane.partition: offset], incrementally: true))
        desks[lane.partition]?.assigned()
    }

    /// Where partitions are shared out whole, librdkafka takes only the whole list: each that has begun goes on where it
    /// stands. Once a turn, so that those that begin together are added together.
    func assignBegun() {
        guard mustAssign else { return }
        mustAssign = false
        failed(handle.assign(desks.compactMapValues { $0.isFinished ? nil : $0.nextOffset }, incrementally: false))
        for (partition, desk) in desks {
            desks[partition]?.assigned()
            desk.isPaused ? handle.pause(partition) : handle.resume(partition)
        }
    }

    private func commit(_ offsets: [TopicPartition: Int64]) {
        guard let error = handle.commit(offsets) else { return }
        logger.warning("committing failed", ["reason": error.reason])
        perform(machine.commitAnswered(offsets, succeeded: false, at: .now))
    }

    private func failed(_ error: KafkaError?) {
        if let error { logger.error("answering a rebalance failed", ["reason": error.reason]) }
    }
}
