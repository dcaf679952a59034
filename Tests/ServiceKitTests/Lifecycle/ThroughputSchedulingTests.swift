import COrchardLinux
import Foundation
import OrchardServiceKit
import Testing

@Suite("ThroughputScheduling")
struct ThroughputSchedulingTests {
    @Test("all threads have it, also those that start later")
    func threads() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let before = Thread { Thread.sleep(forTimeInterval: 60) }
            before.start()
            ThroughputScheduling.begin()
            let after = Thread { Thread.sleep(forTimeInterval: 60) }
            after.start()
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap {
                pid_t($0)
            }
            // A thread that has ended since has none: -1.
            let policies = threads.map { sched_getscheduler($0) }.filter { $0 >= 0 }
            exit(policies.count >= 3 && policies.allSatisfy { $0 == SCHED_BATCH } ? 0 : 1)
        }
    }

    @Test("a policy that somebody chose is kept")
    func chosen() async {
        await #expect(processExitsWith: .exitCode(0)) {
            var parameters = sched_param()
            // Only a privileged process may leave this one: for others the kernel keeps it, whatever `begin` does.
            guard sched_setscheduler(0, SCHED_IDLE, &parameters) == 0 else { exit(2) }
            ThroughputScheduling.begin()
            exit(sched_getscheduler(0) == SCHED_IDLE ? 0 : 1)
        }
    }
}
