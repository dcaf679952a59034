import COrchardLinux
import Foundation

/// The kernel's scheduling for servers (`SCHED_BATCH`): a thread that wakes waits for its turn, and does not interrupt
/// one that runs.
///
/// Where all cores are busy, more inputs gather until a thread has its turn, so that they share a transaction. On an
/// idle core nothing changes. It needs no privilege.
public enum ThroughputScheduling {
    /// Takes it for all threads of this process, and for those that they start. A thread that has another policy than
    /// the usual one keeps it: somebody chose it, for example with systemd's `CPUSchedulingPolicy=`.
    ///
    /// Call it early in `main`. Where the kernel refuses it the process works as before.
    public static func begin() {
        // A thread has the policy of the one that starts it: a pass that finds none without it is the last.
        while changeThreads() {}
    }

    /// - Returns: whether there was a thread to change.
    private static func changeThreads() -> Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        var isChanged = false
        for thread in threads.compactMap({ pid_t($0) }) where sched_getscheduler(thread) == SCHED_OTHER {
            var parameters = sched_param()
            _ = sched_setscheduler(thread, SCHED_BATCH, &parameters)
            // Asked, not believed: a filter of system calls may say yes and do nothing.
            if sched_getscheduler(thread) == SCHED_BATCH { isChanged = true }
        }
        return isChanged
    }
}
