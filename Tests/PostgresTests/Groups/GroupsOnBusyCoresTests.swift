import Dispatch
import Foundation
import OrchardServiceKit
import SandboxProcesses
import Testing

@testable import OrchardPostgres

@Suite("Inputs in groups, on busy cores", .timeLimit(.minutes(2)))
struct GroupsOnBusyCoresTests {
    /// A thread that wakes does not interrupt the one that runs: the group that begins lets it run first.
    @Test("the input of a thread that is ready on the same core is in the group")
    func yieldsCore() async {
        await #expect(processExitsWith: .success) {
            guard await Self.useOneCore() else { exit(2) }
            ThroughputScheduling.begin()
            let groups = InputGroups<Int, Int, Void>()
            let sizes = Locked<[Int]>([])
            @Sendable func perform(_ input: Int) async {
                try? await groups.perform(input, of: input) { inputs in
                    sizes.withLock { $0.append(inputs.count) }
                    return inputs.map { _ in }
                }
            }
            let wake = DispatchSemaphore(value: 0)
            let other = Thread {
                while true {
                    wake.wait()
                    Task { await perform(2) }
                }
            }
            other.start()
            for round in 1...100 {
                wake.signal()
                await perform(1)
                while sizes.withLock({ $0.reduce(0, +) }) < 2 * round { try? await Task.sleep(for: .milliseconds(1)) }
            }
            // Other programs use this core too: they may take the whole time that a group gives.
            exit(sizes.withLock { $0.count { $0 == 2 } } >= 50 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// Keeps the threads of this process, and those that they start, on one of its cores.
    private static func useOneCore() async -> Bool {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let cores = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        guard let core = cores?.split(whereSeparator: { !$0.isNumber }).first else { return false }
        let run = try? await ProgramRun.outside(
            "/usr/bin/taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(getpid())])
        return run?.status == 0
    }
}
