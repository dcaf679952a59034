import OrchardServiceKit

/// Leaves the group while this member cannot work at all, so that others get its partitions, and joins it again.
extension KafkaConsumer {
    func monitorObstacles() {
        let limit = ContinuousClock.now - options.obstacleAfter
        let isStuck = queues.values.contains { $0.busySince.map { $0 < limit } ?? false }
        if absence.tick(isStuck: isStuck, isIdle: machine.isIdle, at: .now) == .ask { newWork.append(.askForObstacle) }
    }

    func found(obstacle: String?) {
        defer { signal.signal() }
        guard closing == nil else { return }
        let step = absence.answered(obstacle: obstacle, at: .now)
        switch step {
        case .leave:
            logger.error("leaves the group until it can work again", ["reason": obstacle ?? "", "group": group])
            // Nothing that they are working on is worth waiting for.
            for (partition, queue) in queues where queue.busySince != nil {
                perform(
                    machine.failing(PartitionAssignment(partition: partition, generation: queue.assignment.generation)))
            }
            if let error = handle.unsubscribe() { logger.warning("leaving the group", ["reason": error.reason]) }
        case .join:
            logger.notice("joins the group again", ["group": group])
            do throws(KafkaError) { try handle.subscribe(topics) } catch {
                logger.error("joining the group", ["reason": error.reason])
            }
        case .stay, .ask: break
        }
        // A member that stays has its share still.
        if step == .join || absence.reason != nil { status.goesAway(because: absence.reason) }
    }
}
