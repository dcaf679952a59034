import Foundation
import OrchardServiceKit
import SandboxProcesses

/// An embedded broker in a child process, `sandbox broker`: it can be stopped, frozen and killed like a real one.
///
/// The child ends when this process ends in any way, because its standard input closes.
public final class BrokerProcess: Sendable {
    private let child: ChildProcess
    /// One command at a time.
    private let turn = Locked(())
    /// `host:port`, as clients need it.
    public let bootstrapServers: String
    /// The child's process id.
    public var processID: Int32 { child.processID }
    /// How long it may take to listen or to obey. Callers wait on their threads.
    private static let limit = Duration.seconds(60)

    /// Starts the child and returns when it listens.
    ///
    /// - Parameters:
    ///   - brokers: how many share the partitions; partitions never move.
    ///   - executable: `sandbox`; by default the one beside this program or test bundle.
    public init(topics: [BrokerTopic] = [], brokers: Int = 1, executable: URL? = nil) throws {
        let program = try executable ?? SandboxExecutable.find()
        var arguments = ["broker", "--control", "--brokers", "\(brokers)"]
        if !topics.isEmpty {
            arguments += ["--topics", topics.map { "\($0.name):\($0.partitions)" }.joined(separator: ",")]
        }
        child = try ChildProcess(ChildCommand(program.path, arguments, input: .pipe, output: .pipe))
        do { bootstrapServers = try child.lineBlocking(within: Self.limit) } catch {
            child.signal(SIGKILL)
            throw BrokerError("the broker does not listen: \(error)")
        }
    }

    deinit { stop() }

    /// Sends a command and returns when it is in effect; not while the broker is frozen.
    public func send(_ command: BrokerCommand) throws {
        let answer = try turn.withLock { _ in
            do {
                try child.writeBlocking(Array("\(command)\n".utf8), within: Self.limit)
                return try child.lineBlocking(within: Self.limit)
            } catch {
                // A late answer would be taken for that to the next command.
                child.signal(SIGKILL)
                throw BrokerError("\(command): \(error)")
            }
        }
        guard answer == "ok" else { throw BrokerError(answer) }
    }

    /// Freezes the broker: connections stay, nothing answers. Returns when all its threads have stopped: the signal
    /// alone does not guarantee that.
    public func freeze() {
        child.signal(SIGSTOP)
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
    public func thaw() { child.signal(SIGCONT) }

    /// Ends the child and waits for it.
    public func stop() { child.stopBlocking(SIGKILL) }
}
