import OrchardServiceKit

/// The child tasks of the loop.
extension KafkaConsumer {
    /// Not on the consumer's thread: handlers and the observer have the cooperative pool.
    nonisolated func perform(
        _ work: Work, _ handler: @escaping @Sendable (PartitionBatch) async throws -> Void
    ) async {
        switch work {
        case .notifyObserver(let partitions, let lost):
            await observer.willRevoke(partitions, lost: lost)
            await observerReturned()
        case .askForObstacle: await found(obstacle: await obstacle(within: .seconds(3)))
        case .assignment(let assignment, let cancelled):
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    await self.own(assignment, handler)
                    await self.cancel(assignment)
                }
                for await _ in cancelled {}
                tasks.cancelAll()
            }
            await ended(assignment)
        }
    }

    /// Works on a partition until it leaves. After an error that is not transient, and when asked to, it determines its
    /// start again, which may have moved.
    private nonisolated func own(
        _ assignment: PartitionAssignment, _ handler: @Sendable (PartitionBatch) async throws -> Void
    ) async {
        var retries = RetryState(options.retries)
        var unfinished: PartitionBatch?
        while !Task.isCancelled {
            do {
                let start = try await findStart(of: assignment)
                if let batch = unfinished, batch.firstOffset != start {
                    unfinished = nil
                    await begin(assignment, at: start)
                } else if unfinished == nil, await !goesOn(assignment, at: start) {
                    await begin(assignment, at: start)
                }
                while let batch = if let unfinished { unfinished } else { await nextBatch(of: assignment) } {
                    unfinished = batch
                    try await process(batch, of: assignment, &retries, handler)
                    unfinished = nil
                    retries.succeeded()
                    await processed(assignment, next: batch.nextOffset)
                }
                guard await takeAskAgain(assignment) else { return }
            } catch {
                guard !Task.isCancelled else { return }
                let (pause, _) = retries.failed(isTransient: false, at: .now)
                await failed(assignment, error, isTransient: false, isReported: true)
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// - Throws: `CancellationError` alone.
    private nonisolated func findStart(of assignment: PartitionAssignment) async throws -> Int64 {
        var retries = RetryState(options.retries)
        while true {
            do {
                let starts = try await observer.offsets(for: [assignment.partition])
                return starts[assignment.partition] ?? GroupMachine.committedOffset
            } catch {
                try await pause(after: error, of: assignment, &retries)
            }
        }
    }

    /// - Throws: what the handler throws, unless time heals it; `CancellationError`.
    private nonisolated func process(
        _ batch: PartitionBatch, of assignment: PartitionAssignment, _ retries: inout RetryState,
        _ handler: @Sendable (PartitionBatch) async throws -> Void
    ) async throws {
        while true {
            do { return try await handler(batch) } catch  where RetryPolicy.isTransient(error) {
                try await pause(after: error, of: assignment, &retries)
            }
        }
    }

    private nonisolated func pause(
        after error: any Error, of assignment: PartitionAssignment, _ retries: inout RetryState
    ) async throws {
        try Task.checkCancellation()
        let isTransient = RetryPolicy.isTransient(error)
        let (pause, isReported) = retries.failed(isTransient: isTransient, at: .now)
        await failed(assignment, error, isTransient: isTransient, isReported: isReported)
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

    private func nextBatch(of assignment: PartitionAssignment) async -> PartitionBatch? {
        guard let queue = queue(of: assignment), !queue.isFinished else { return nil }
        if let batch = queue.next() {
            regulate(assignment.partition)
            if fullSince != nil { signal.signal() }
            return batch
        }
        return await withCheckedContinuation { queue.wait($0) }
    }

    private func takeAskAgain(_ assignment: PartitionAssignment) -> Bool {
        queue(of: assignment)?.takeAskAgain() == true
    }

    /// Whether the lane's start is where its work stands. Then it works, also while nothing comes.
    private func goesOn(_ assignment: PartitionAssignment, at offset: Int64) -> Bool {
        guard queue(of: assignment)?.goesOn(at: offset) == true else { return false }
        status.works(assignment.partition)
        machine.goesOn(assignment)
        signal.signal()
        return true
    }

    private func processed(_ assignment: PartitionAssignment, next: Int64) {
        guard let actions = machine.processed(assignment, next: next, at: .now) else {
            return logger.warning(
                "a batch outlived its partition and is not committed",
                ["partition": "\(assignment.partition)", "generation": "\(assignment.generation)"])
        }
        status.works(assignment.partition)
        perform(actions)
    }

    /// An attempt failed: the partition stands still, the others go on.
    private func failed(_ assignment: PartitionAssignment, _ error: any Error, isTransient: Bool, isReported: Bool) {
        // A cancelled handler may throw an error of its own.
        guard queue(of: assignment)?.isCancelled == false
        else { return }
        perform(machine.failing(assignment))
        if isReported {
            let words = isTransient ? "waits" : "stands still, and is tried again now and then"
            if status.fails(assignment.partition, "\(words): \(error)") {
                logger.log(
                    isTransient ? .warning : .critical, "a partition \(words)",
                    metadata: ["partition": "\(assignment.partition)", "error": "\(error)"])
            }
        } else {
            logger.debug("processing failed", ["partition": "\(assignment.partition)", "error": "\(error)"])
        }
        signal.signal()
    }

    private func cancel(_ assignment: PartitionAssignment) {
        queue(of: assignment)?.cancel()
    }

    private func ended(_ assignment: PartitionAssignment) {
        perform(machine.laneEnded(assignment, at: .now))
        signal.signal()
    }

    private func begin(_ assignment: PartitionAssignment, at offset: Int64) {
        status.works(assignment.partition)
        perform(machine.started(assignment, at: offset))
        signal.signal()
    }

    private func observerReturned() {
        perform(machine.observerNotified(at: .now))
        signal.signal()
    }
}
