import OrchardServiceKit

/// Performs what the machine decides.
extension KafkaConsumer {
    func perform(_ actions: [GroupMachine.Action]) {
        for action in actions {
            switch action {
            case .findStarts(let partitions, let generation):
                newWork.append(.findStarts(partitions, generation: generation))
            case .assign(let starts):
                failed(handle.assign(starts, incrementally: isIncremental))
                status.joined()
            case .start(let lane): start(lane)
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
        desks[lane.partition] = LaneDesk(lane: lane, limits: options.mailbox, cancellation: cancellation)
        newWork.append(.lane(lane, cancelled))
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
