import Foundation

/// Own threads for computations whose length an outside sender controls. The number of waiting calls is limited.
///
/// The cooperative pool has as many threads as the machine has cores, and it answers the probes: a few slow
/// verifications there make a service look dead. On own threads they only share the processors, fairly.
public final class ThreadPool: Sendable {
    private let executor: PoolExecutor
    private let capacity: Int
    private let inProgress = Locked(0)

    /// - Parameters:
    ///   - name: of the threads, for debuggers; the kernel keeps 15 bytes.
    ///   - threads: one for each processor unless given.
    ///   - waiting: how many calls may wait for each thread.
    public init(
        name: String, threads: Int = ProcessInfo.processInfo.activeProcessorCount, waitingPerThread waiting: Int = 128
    ) {
        precondition(threads > 0 && waiting >= 0, "a pool needs a thread")
        executor = PoolExecutor(name: name, threads: threads)
        capacity = threads * (waiting + 1)
    }

    deinit {
        executor.stop()
    }

    /// Runs `body`, and what it awaits, on the threads of the pool.
    ///
    /// - Returns: nil when the largest number of calls is waiting already; then nothing was run.
    public func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        let isTaken = inProgress.withLock { inHand in
            guard inHand < capacity else { return false }
            inHand += 1
            return true
        }
        guard isTaken else { return nil }
        defer { inProgress.withLock { $0 -= 1 } }
        return try await withTaskExecutorPreference(executor, operation: body)
    }
}

/// Runs jobs in the order they come, on a fixed number of threads.
private final class PoolExecutor: TaskExecutor {
    private let queue = JobQueue()

    init(name: String, threads: Int) {
        for _ in 0..<threads {
            // The threads keep the executor alive until it is stopped.
            let thread = Thread { [self] in
                while let job = queue.next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
            thread.name = name
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job)) }

    /// Ends the threads when no job is left.
    func stop() { queue.finish() }
}

/// Jobs that wait for a thread.
private final class JobQueue: @unchecked Sendable {
    // @unchecked: both variables are only touched while `condition` is held.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isFinished = false

    func add(_ job: UnownedJob) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Waits for a job; nil when no more jobs will come.
    func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty, !isFinished { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }

    func finish() {
        condition.withLock {
            isFinished = true
            condition.broadcast()
        }
    }
}

/// Runs blocking code on a thread made for it, and waits for its end without blocking the caller's thread.
///
/// Cancellation does not reach the code: the caller must end it by its own means.
public func runOnOwnThread(named name: String, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            body()
            continuation.resume()
        }
        thread.name = name
        thread.start()
    }
}
