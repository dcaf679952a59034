import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Executes due orders: those that this process stepped, at their time, and those that a sweep finds in any partition.
///
/// Any instance executes any order's timer: timers of a dead instance are executed elsewhere within a second.
struct TimerLoop: Service {
    let pool: PostgresPool
    let timers: TimerQueue
    let intents: IntentQueue
    let limiter: RequestLimiter
    let executor: TimerExecutor
    /// How often it sweeps.
    let interval: Duration
    let status: TimerStatus
    let logger: Logger

    init(
        pool: PostgresPool, timers: TimerQueue, intents: IntentQueue, limiter: RequestLimiter, executor: TimerExecutor,
        interval: Duration,
        readiness: Readiness, logger: Logger
    ) {
        self.pool = pool
        self.timers = timers
        self.intents = intents
        self.limiter = limiter
        self.executor = executor
        self.interval = interval
        status = TimerStatus(readiness: readiness, logger: logger)
        self.logger = logger
    }

    /// Fires until the graceful shutdown, then waits for the requests that are on their way.
    func run() async throws {
        let sweeps = WakeSignal()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await repeatUntilGracefulShutdown(every: interval) {
                        sweeps.wake()
                    }
                }
                group.addTask { for await _ in sweeps.wakeups { await sweep() } }
                group.addTask { await performCommitted() }
                for await _ in timers.wakeSignal.wakeups {
                    let taken = timers.dequeue { limiter.acquire(for: $0) }
                    for due in taken.orders { group.addTask { await fire(due) } }
                    if taken.isToSweep { sweeps.wake() }
                    guard let sleep = taken.sleep else { continue }
                    group.addTask {
                        await pauseUntilGracefulShutdown(for: sleep)
                        timers.wake()
                    }
                }
            }
        } onGracefulShutdown: {
            sweeps.finish()
            timers.wakeSignal.finish()
            intents.finish()
        }
        try Task.checkCancellation()
    }

    /// Makes requests whose intents were committed with another step. Each holds its slot already.
    private func performCommitted() async {
        await withDiscardingTaskGroup { group in
            for await intent in intents.intents {
                group.addTask {
                    await executor.perform(intent)
                    release(intent.due)
                }
            }
        }
    }

    /// The most orders in progress that a sweep leaves out. Those with a slot are far fewer. After a long failure of the
    /// database more may wait for their next try; they are passed over when they are found.
    private static let leftOut = 10_000

    /// Finds due orders of dead instances, without locks.
    private func sweep() async {
        let sweep = DueSweep(inbox: executor.transactions.inbox)
        let inProgress = Set(timers.inProgress.prefix(Self.leftOut))
        do {
            let found = try await pool.withConnection { try await sweep.read(without: inProgress, on: $0) }
            timers.found(found.due, at: found.time)
            let waiting = inProgress.union(timers.inProgress).union(found.due.map(\.order.order))
            status.sweepSucceeded(damaged: found.damaged) { waiting.contains($0) }
        } catch {
            if !Task.isCancelled { status.sweepFailed(error) }
            // Known orders are due all the same.
            timers.wakeSignal.wake()
        }
    }

    private func fire(_ due: DueOrder) async {
        let error = await executor.fire(due) { timers.release(due.order) }
        release(due)
        guard let error else { return status.fired(due.order) }
        guard !Task.isCancelled else { return }
        // The partition has stopped and reports why. A sweep finds its orders later.
        guard !(error is InboxError) else { return timers.release(due.order) }
        // Until its pause is over, it keeps no slot and is not tried here.
        let pause = status.cannotFire(due.order, error)
        await pauseUntilGracefulShutdown(for: pause)
        timers.release(due.order)
    }

    private func release(_ due: DueOrder) {
        limiter.release(due)
        timers.wakeSignal.wake()
    }
}
