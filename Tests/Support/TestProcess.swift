import Foundation
import OrchardServiceKit
import SandboxBroker

/// A real program of this package as a child process; killed when this object is freed.
public final class TestProcess: Sendable {
    private let process: Locked<Process>
    private let written = Locked("")
    private let isOver = Locked(false)

    /// - Parameters:
    ///   - environment: the whole environment; nothing is inherited.
    ///   - openFiles: the limit of open files, soft and hard.
    public init(
        _ program: String, _ arguments: [String], _ environment: [String: String], openFiles: Int? = nil
    ) throws {
        let process = Process()
        let executable = try SandboxExecutable.find(name: program)
        if let openFiles {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(openFiles); exec \"$0\" \"$@\"", executable.path] + arguments
        } else {
            process.executableURL = executable
            process.arguments = arguments
        }
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        self.process = Locked(process)
        let (reader, written, isOver) = (output.fileHandleForReading, written, isOver)
        let thread = Thread {
            while true {
                let data = reader.availableData
                if data.isEmpty { break }
                written.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
            isOver.withLock { $0 = true }
        }
        thread.start()
    }

    deinit {
        signal(SIGCONT)
        signal(SIGKILL)
    }

    /// Everything that the process wrote.
    public var log: String { written.withLock { $0 } }

    /// The kernel's information about the process in `/proc`.
    public func kernelFile(_ name: String) throws -> String {
        let id = process.withLock { $0.processIdentifier }
        return try String(contentsOfFile: "/proc/\(id)/\(name)", encoding: .utf8)
    }

    public func signal(_ number: Int32) {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, number) } }
    }

    /// The exit status, once the process has ended and all its output is read.
    public func status(within limit: Duration = longestWait) async throws -> Int32 {
        try await until(within: limit) { isOver.withLock { $0 } && process.withLock { !$0.isRunning } }
        return process.withLock { $0.terminationStatus }
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
        process.withLock { process in
            guard process.isRunning else {
                return "ended with \(process.terminationReason) \(process.terminationStatus)"
            }
            let lines = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            return lines?.split(separator: "\n").first { $0.hasPrefix("State:") }.map(String.init) ?? "unknown"
        }
    }

    public struct TookTooLong: Error, CustomStringConvertible {
        let state: String
        let log: String
        public var description: String { "waited too long; the process: \(state); it wrote:\n\(log.suffix(4_000))" }
    }
}
