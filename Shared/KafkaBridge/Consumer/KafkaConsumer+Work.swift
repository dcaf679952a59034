import OrchardServiceKit

/// What runs beside the loop, as its child tasks.
extension KafkaConsumer {
    /// Not on the consumer's thread: handlers and the observer have the cooperative pool.
    nonisolated func perform(
        _ work: Work, _ handler: @escaping @Sendable (PartitionBatch) async throws -> Void
    ) async {
        switch work {
        case .findStarts(let partitions, let generation):
            do {
                let starts = try await observer.offsets(for: partitions)
                await found(starts, generation: generation)
            } catch {
                await notFound(error, generation: generation)
            }
        case .tellObserver(let partitions, let lost):
            await observer.willRevoke(partitions, lost: lost)
            await told()
        case .lane(let lane, let cancelled):
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    await self.serve(lane, handler)
                    await self.cancel(lane)
                }
                for await _ in cancelled {}
                tasks.cancelAll()
            }
            await ended(lane)
        }
    }

    private nonisolated func serve(
        _ lane: Lane, _ handler: @Sendable (PartitionBatch) async throws -> Void
    ) async {
        do {
            while let batch = await nextBatch(of: lane) {
                try await handler(batch)
                await processed(lane, next: batch.nextOffset)
            }
        } catch {
            await handlerFailed(lane, error)
        }
    }

    private func nextBatch(of lane: Lane) async -> PartitionBatch? {
        guard let desk = desks[lane.partition], desk.lane == lane, !desk.isFinished else { return nil }
        if let batch = desks[lane.partition]?.take(options.batchLimit) {
            regulate(lane.partition)
            return batch
        }
        return await withCheckedContinuation { desks[lane.partition]?.wait($0) }
    }

    private func processed(_ lane: Lane, next: Int64) {
        guard let actions = machine.processed(lane, next: next, at: .now) else {
            return logger.warning(
                "a batch outlived its partition and is not committed",
                ["partition": "\(lane.partition)", "generation": "\(lane.generation)"])
        }
        perform(actions)
    }

    private func handlerFailed(_ lane: Lane, _ error: any Error) {
        // A handler that was told to stop may say so in its own words.
        guard desks[lane.partition]?.lane == lane, desks[lane.partition]?.isCancelled == false else { return }
        logger.error("processing failed", ["partition": "\(lane.partition)", "error": "\(error)"])
        failure = failure ?? error
        signal.signal()
    }

    private func cancel(_ lane: Lane) {
        if desks[lane.partition]?.lane == lane { desks[lane.partition]?.cancel() }
    }

    private func ended(_ lane: Lane) {
        perform(machine.laneEnded(lane, at: .now))
        signal.signal()
    }

    private func found(_ starts: [TopicPartition: Int64], generation: Int) {
        perform(machine.startsFound(starts, generation: generation, at: .now))
        signal.signal()
    }

    private func notFound(_ error: any Error, generation: Int) {
        // Of an assignment that is gone: a cancelled look-up is no failure.
        guard generation == machine.generation, closing == nil else { return }
        logger.error("the start of the partitions is not known", ["error": "\(error)"])
        failure = failure ?? error
        signal.signal()
    }

    private func told() {
        perform(machine.observerTold(at: .now))
        signal.signal()
    }
}
