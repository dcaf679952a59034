import Foundation
import SandboxBroker
import SandboxProcesses

/// A real program of this package as a child process; killed when this object is freed.
public final class TestProcess: Sendable {
    private let child: ChildProcess

    /// - Parameters:
    ///   - environment: the whole environment; nothing is inherited.
    ///   - openFiles: the limit of open files, soft and hard.
    public init(
        _ program: String, _ arguments: [String], _ environment: [String: String], openFiles: Int? = nil
    ) throws {
        let executable = try SandboxExecutable.find(name: program).path
        var command = ChildCommand(executable, arguments, environment: environment, output: .pipe, errors: .pipe)
        if let openFiles {
            command.program = "/bin/sh"
            command.arguments = ["-c", "ulimit -n \(openFiles); exec \"$0\" \"$@\"", executable] + arguments
        }
        child = try ChildProcess(command)
    }

    deinit { signal(SIGKILL) }

    /// Everything that the process wrote.
    public var log: String { child.output }

    /// The kernel's information about the process in `/proc`.
    public func kernelFile(_ name: String) throws -> String {
        try String(contentsOfFile: "/proc/\(child.processID)/\(name)", encoding: .utf8)
    }

    /// The kernel's scheduling policies of its threads.
    public func schedulingPolicies() throws -> Set<Int32> {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.processID)/task")
        // A thread that has ended since has none: -1.
        return Set(threads.compactMap { pid_t($0) }.map { sched_getscheduler($0) }.filter { $0 >= 0 })
    }

    public func signal(_ number: Int32) { child.signal(number) }

    /// The exit status, once the process has ended and all its output is read.
    public func status(within limit: Duration = longestWait) async throws -> Int32 {
        var status: Int32?
        try await until(within: limit) {
            status = child.status
            return status != nil
        }
        return status ?? -1
    }

    /// The port that a server of the process listens on, by the end of its logger's name: `http`, `admin`.
    public func port(of server: String) async throws -> Int {
        let pattern = #/"logger":"[^"]*?\.(\w+)","msg":"listening on [^ ]+ port (\d+)"/#
        var port: Int?
        try await until {
            port = log.matches(of: pattern).first { $0.output.1 == server }.flatMap { Int($0.output.2) }
            return port != nil
        }
        return port ?? 0
    }

    /// Long, because the machine may be busy with other things.
    public static let longestWait = Duration.seconds(120)

    /// Waits for a condition.
    public func until(within limit: Duration = longestWait, _ isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while try await !isTrue() {
            guard ContinuousClock.now < end else { throw TookTooLong(state: state, log: log) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The state of the process according to the kernel, such as `S (sleeping)` or `T (stopped)`; or how it ended.
    private var state: String {
        if let status = child.status { return "ended with \(status)" }
        let lines = try? kernelFile("status")
        return lines?.split(separator: "\n").first { $0.hasPrefix("State:") }.map(String.init) ?? "unknown"
    }

    public struct TookTooLong: Error, CustomStringConvertible {
        let state: String
        let log: String
        public var description: String { "waited too long; the process: \(state); it wrote:\n\(log.suffix(4_000))" }
    }
}
