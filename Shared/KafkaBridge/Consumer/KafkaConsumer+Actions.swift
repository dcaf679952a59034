import OrchardServiceKit

/// Performs what the machine decides.
extension KafkaConsumer {
    func perform(_ actions: [GroupMachine.Action]) {
        for action in actions {
            switch action {
            case .accept:
                failed(handle.assign([:], incrementally: isIncremental))
                status.joined()
            case .start(let assignment): start(assignment)
            case .begin(let assignment, let offset, let again): begin(assignment, offset, again)
            case .finish(let assignment):
                queue(of: assignment)?.finish()
            case .cancel(let assignment):
                queue(of: assignment)?.cancel()
            case .commit(let offsets): commit(offsets)
            case .notifyObserver(let partitions, let lost): newWork.append(.notifyObserver(partitions, lost: lost))
            case .unassign(let partitions):
                for partition in partitions {
                    queues[partition]?.cancel()
                    queues[partition] = nil
                    gauges.left(partition)
                }
                failed(handle.unassign(partitions, incrementally: isIncremental))
                // librdkafka may free a topic that is not read, and give its address to another.
                reader = RecordReader(handle.names)
                // Nor does a queue that has left keep its records in memory.
                latest = nil
                status.gaveBack(partitions)
            }
        }
        if !newWork.isEmpty { signal.signal() }
    }

    /// From the configuration: a query to librdkafka while it closes can hang (librdkafka #4041).
    var isIncremental: Bool { options.assignment == .cooperativeSticky }

    private func start(_ assignment: PartitionAssignment) {
        let (cancelled, cancellation) = AsyncStream<Never>.makeStream()
        queues[assignment.partition] = PartitionQueue(
            assignment: assignment, batchLimit: options.batchLimit, cancellation: cancellation)
        newWork.append(.assignment(assignment, cancelled))
        status.starts(assignment.partition)
    }

    /// Reads a partition from an offset on.
    private func begin(_ assignment: PartitionAssignment, _ offset: Int64, _ again: Bool) {
        queues[assignment.partition]?.begin(at: offset)
        status.began(assignment.partition)
        guard isIncremental else { return mustAssign = true }
        assign(assignment.partition, at: offset, again)
    }

    private func assign(_ partition: TopicPartition, at offset: Int64, _ again: Bool) {
        if again { failed(handle.unassign([partition], incrementally: true)) }
        pause(partition, false)
        failed(handle.assign([partition: offset], incrementally: true))
        queues[partition]?.assigned()
    }

    /// Gives librdkafka a partition anew of which it reads nothing, though its brokers answer. Not during a revocation,
    /// which takes it away, and not when librdkafka has said why it reads nothing.
    func readAgain(_ partition: TopicPartition) {
        guard closing == nil, contact.isReachable == true, !machine.isRebalancing, !status.isUnreadable(partition),
            let queue = queues[partition], let offset = queue.nextOffset
        else { return }
        readings += 1
        logger.warning("nothing comes of a partition: it is read anew", ["partition": "\(partition)"])
        // The first attempt is a warning only: a broker may have been slow.
        if queue.attempts > 0 { status.fallsSilent(partition) }
        queue.readAgain()
        if isIncremental { assign(partition, at: offset, true) } else { mustAssign = true }
    }

    /// With the eager protocol librdkafka accepts only the whole list: each partition that has begun continues at its
    /// position. Once a turn, so that those that begin together are added together.
    func assignBegun() {
        guard mustAssign else { return }
        mustAssign = false
        // librdkafka 2.0.2 takes a list for an empty one while it leaves the group: that would answer the revocation, which
        // then reaches nobody. What is being revoked is not read anew.
        guard closing == nil, !machine.isRebalancing else { return }
        // Before it, so that librdkafka does both in this order.
        for (partition, queue) in queues { pause(partition, queue.isPaused) }
        failed(handle.assign(queues.compactMapValues { $0.isFinished ? nil : $0.nextOffset }, incrementally: false))
        for queue in queues.values { queue.assigned() }
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
