import OrchardServiceKit

/// What runs beside the loop, as its child tasks.
extension KafkaConsumer {
    /// Not on the consumer's thread: handlers and the observer have the cooperative pool.
    nonisolated func perform(
        _ work: Work, _ handler: @escaping @Sendable (PartitionBatch) async throws -> Void
    ) async {
        switch work {
        case .tellObserver(let partitions, let lost):
            await observer.willRevoke(partitions, lost: lost)
            await told()
        case .askForObstacle: await found(obstacle: await obstacle(within: .seconds(3)))
        case .lane(let lane, let cancelled):
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    await self.own(lane, handler)
                    await self.cancel(lane)
                }
                for await _ in cancelled {}
                tasks.cancelAll()
            }
            await ended(lane)
        }
    }

    /// Works on a partition until it leaves. After an error that time does not heal, and when it is told to, it looks for
    /// its start again, which may have moved meanwhile.
    private nonisolated func own(
        _ lane: Lane, _ handler: @Sendable (PartitionBatch) async throws -> Void
    ) async {
        var retries = RetryState(options.retries)
        var unfinished: PartitionBatch?
        while !Task.isCancelled {
            do {
                repeat {
                    let start = try await findStart(of: lane)
                    if let batch = unfinished {
                        if batch.firstOffset != start {
                            unfinished = nil
                            await begin(lane, at: start)
                        }
                    } else if await !goesOn(lane, at: start) {
                        await begin(lane, at: start)
                    }
                    while let batch = if let unfinished { unfinished } else { await nextBatch(of: lane) } {
                        unfinished = batch
                        try await process(batch, of: lane, &retries, handler)
                        unfinished = nil
                        retries.succeeded()
                        await processed(lane, next: batch.nextOffset)
                    }
                } while await mustAskAgain(lane)
                return
            } catch {
                guard !Task.isCancelled else { return }
                let (pause, _) = retries.failed(isTransient: false, at: .now)
                await failed(lane, error, isTransient: false, isTold: true)
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// - Throws: `CancellationError` alone.
    private nonisolated func findStart(of lane: Lane) async throws -> Int64 {
        var retries = RetryState(options.retries)
        while true {
            do {
                let starts = try await observer.offsets(for: [lane.partition])
                return starts[lane.partition] ?? GroupMachine.committedOffset
            } catch {
                try await pause(after: error, of: lane, &retries)
            }
        }
    }

    /// - Throws: what the handler throws, unless time heals it; `CancellationError`.
    private nonisolated func process(
        _ batch: PartitionBatch, of lane: Lane, _ retries: inout RetryState,
        _ handler: @Sendable (PartitionBatch) async throws -> Void
    ) async throws {
        while true {
            do { return try await handler(batch) } catch  where RetryPolicy.isTransient(error) {
                try await pause(after: error, of: lane, &retries)
            }
        }
    }

    private nonisolated func pause(
        after error: any Error, of lane: Lane, _ retries: inout RetryState
    ) async throws {
        try Task.checkCancellation()
        let isTransient = RetryPolicy.isTransient(error)
        let (pause, isTold) = retries.failed(isTransient: isTransient, at: .now)
        await failed(lane, error, isTransient: isTransient, isTold: isTold)
        try await Task.sleep(for: pause)
    }

    /// What keeps the member from all work; asking may hang as the work does.
    private nonisolated func obstacle(within limit: Duration) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { await self.observer.obstacle() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return "no answer within \(limit)"
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func nextBatch(of lane: Lane) async -> PartitionBatch? {
        guard let desk = desks[lane.partition], desk.lane == lane, !desk.isFinished else { return nil }
        if let batch = desks[lane.partition]?.take(options.batchLimit) {
            regulate(lane.partition)
            if fullSince != nil { signal.signal() }
            return batch
        }
        return await withCheckedContinuation { desks[lane.partition]?.wait($0) }
    }

    private func mustAskAgain(_ lane: Lane) -> Bool {
        desks[lane.partition]?.lane == lane && desks[lane.partition]?.mustAskAgain() == true
    }

    /// Whether the lane's start is where its work stands. Then it works, also while nothing comes.
    private func goesOn(_ lane: Lane, at offset: Int64) -> Bool {
        guard let desk = desks[lane.partition], desk.lane == lane, desk.goesOn(at: offset) else { return false }
        status.works(lane.partition)
        machine.goesOn(lane)
        signal.signal()
        return true
    }

    private func processed(_ lane: Lane, next: Int64) {
        guard let actions = machine.processed(lane, next: next, at: .now) else {
            return logger.warning(
                "a batch outlived its partition and is not committed",
                ["partition": "\(lane.partition)", "generation": "\(lane.generation)"])
        }
        status.works(lane.partition)
        perform(actions)
    }

    /// An attempt failed: the partition stands still, the others go on.
    private func failed(_ lane: Lane, _ error: any Error, isTransient: Bool, isTold: Bool) {
        // A handler that was told to stop may say so in its own words.
        guard desks[lane.partition]?.lane == lane, desks[lane.partition]?.isCancelled == false else { return }
        perform(machine.failing(lane))
        if isTold {
            let words = isTransient ? "waits" : "stands still, and is tried again now and then"
            if status.fails(lane.partition, "\(words): \(error)") {
                logger.log(
                    isTransient ? .warning : .critical, "a partition \(words)",
                    metadata: ["partition": "\(lane.partition)", "error": "\(error)"])
            }
        } else {
            logger.debug("processing failed", ["partition": "\(lane.partition)", "error": "\(error)"])
        }
        signal.signal()
    }

    private func cancel(_ lane: Lane) {
        if desks[lane.partition]?.lane == lane { desks[lane.partition]?.cancel() }
    }

    private func ended(_ lane: Lane) {
        perform(machine.laneEnded(lane, at: .now))
        signal.signal()
    }

    private func begin(_ lane: Lane, at offset: Int64) {
        status.works(lane.partition)
        perform(machine.started(lane, at: offset))
        signal.signal()
    }

    private func told() {
        perform(machine.observerTold(at: .now))
        signal.signal()
    }
}
