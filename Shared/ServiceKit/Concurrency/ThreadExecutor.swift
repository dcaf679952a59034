import Foundation

/// A serial executor with a thread of its own, for an actor whose work may block in C.
///
/// The cooperative pool has as many threads as the machine has cores; two blocked calls on it stop a small machine.
package final class ThreadExecutor: SerialExecutor {
    private let loop: Loop

    package init(name: String) {
        loop = Loop()
        let thread = Thread { [loop] in loop.run() }
        thread.name = name
        thread.start()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        // The entry keeps the executor alive until the job has run: the job may release the actor that owns it.
        loop.add(.job(UnownedJob(job), self))
    }

    /// Runs `body` on the thread, after everything that was enqueued before.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        loop.add(.body(body))
    }

    /// Calls `body` on the thread at this interval from now on; replaces an earlier one.
    ///
    /// The timer is part of the executor, because a cancelled task cannot sleep, and it must still close in order.
    package func tick(every interval: Duration, _ body: @escaping @Sendable () -> Void) {
        loop.tick(Tick(interval: interval / .seconds(1), body: body))
    }

    /// Ends the thread after what is enqueued and then `body`. Only the `deinit` of the actor may call it: a later call
    /// to the actor would wait for ever.
    package func finish(_ body: @escaping @Sendable () -> Void) {
        loop.add(.last(body))
    }

    package func checkIsolated() {
        precondition(loop.isCurrent, "not on the thread of this executor")
    }

    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    private struct Tick: Sendable {
        let interval: TimeInterval
        let body: @Sendable () -> Void
    }

    private enum Work {
        case job(UnownedJob, ThreadExecutor)
        case body(@Sendable () -> Void)
        case last(@Sendable () -> Void)
    }

    private final class Loop: @unchecked Sendable {
        // @unchecked: all variables are only touched while `condition` is held.
        private let condition = NSCondition()
        private var works: [Work] = []
        private var thread: pthread_t?
        private var tick: Tick?
        /// Of the steady clock: a wall clock that is set moves no tick.
        private var nextTick: ContinuousClock.Instant?

        var isCurrent: Bool {
            condition.withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        }

        func add(_ work: Work) {
            condition.withLock {
                works.append(work)
                if works.count == 1 { condition.signal() }
            }
        }

        func tick(_ tick: Tick) {
            condition.withLock {
                self.tick = tick
                nextTick = .now + .seconds(tick.interval)
                condition.signal()
            }
        }

        func run() {
            condition.withLock { thread = pthread_self() }
            var isRunning = true
            while isRunning {
                for work in drain() where isRunning {
                    switch work {
                    case .job(let job, let executor): job.runSynchronously(on: executor.asUnownedSerialExecutor())
                    case .body(let body): body()
                    case .last(let body):
                        body()
                        isRunning = false
                    }
                }
            }
        }

        /// Waits for work or the next tick.
        private func drain() -> [Work] {
            condition.withLock {
                while works.isEmpty {
                    guard let nextTick else {
                        condition.wait()
                        continue
                    }
                    let left = nextTick - .now
                    guard left > .zero else { break }
                    _ = condition.wait(until: Date(timeIntervalSinceNow: left / .seconds(1)))
                }
                defer { works = [] }
                guard let tick, let due = nextTick, .now >= due else { return works }
                nextTick = .now + .seconds(tick.interval)
                return works + [.body(tick.body)]
            }
        }
    }
}
