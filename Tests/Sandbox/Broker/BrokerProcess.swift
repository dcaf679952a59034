import Foundation
import OrchardServiceKit

/// An embedded broker in a child process, `sandbox broker`: it can be stopped, frozen and killed like a real one.
///
/// The child ends when this process ends in any way, because its standard input closes.
public final class BrokerProcess: Sendable {
    private let process: Locked<Process>
    private let commands: FileHandle
    private let answers: FileHandle
    /// `host:port`, as clients need it.
    public let bootstrapServers: String
    /// The child's process id.
    public let processID: Int32

    /// Starts the child and returns when it listens.
    ///
    /// - Parameters:
    ///   - brokers: how many share the partitions; partitions never move.
    ///   - executable: `sandbox`; by default the one beside this program or test bundle.
    public init(topics: [BrokerTopic] = [], brokers: Int = 1, executable: URL? = nil) throws {
        let process = Process()
        process.executableURL = try executable ?? SandboxExecutable.find()
        process.arguments = ["broker", "--control", "--brokers", "\(brokers)"]
        if !topics.isEmpty {
            process.arguments? += ["--topics", topics.map { "\($0.name):\($0.partitions)" }.joined(separator: ",")]
        }
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        processID = process.processIdentifier
        commands = input.fileHandleForWriting
        answers = output.fileHandleForReading
        bootstrapServers = try Self.line(from: answers)
        self.process = Locked(process)
    }

    deinit { stop() }

    /// Sends a command and returns when it is in effect; not while the broker is frozen.
    public func send(_ command: BrokerCommand) throws {
        try process.withLock { _ in
            try commands.write(contentsOf: Array("\(command)\n".utf8))
            let answer = try Self.line(from: answers)
            guard answer == "ok" else { throw BrokerError(answer) }
        }
    }

    private static func line(from handle: FileHandle) throws -> String {
        var line: [UInt8] = []
        while let byte = try handle.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
        guard !line.isEmpty else { throw BrokerError("the broker's process ended without an answer") }
        return String(decoding: line, as: UTF8.self)
    }

    /// Freezes the broker: connections stay, nothing answers. Returns when all its threads have stopped: the signal
    /// alone does not guarantee that.
    public func freeze() {
        kill(processID, SIGSTOP)
        for _ in 0..<1_000 where !isFrozen { usleep(1_000) }
    }

    private var isFrozen: Bool {
        let tasks = "/proc/\(processID)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return names.allSatisfy { name in
            let stat = (try? String(contentsOfFile: "\(tasks)/\(name)/stat", encoding: .utf8)) ?? ""
            return stat.isEmpty || stat.contains(") T ")
        }
    }

    /// Resumes the broker.
    public func thaw() { kill(processID, SIGCONT) }

    /// Ends the child and waits for it.
    public func stop() {
        process.withLock { process in
            guard process.isRunning else { return }
            kill(processID, SIGKILL)
            process.waitUntilExit()
        }
    }
}
