import Foundation
import OrchardServiceKit
import SandboxProcesses

/// A program of the demo in its own process, with its output in a log file. It ends with this process, however that
/// ends.
final class DemoProcess: Sendable {
    /// For the log and the summary, for example `charge-gateway 2`.
    let name: String
    let log: URL
    private let program: URL
    private let arguments: [String]
    private let environment: [String: String]
    /// From its start on until it is told to end.
    private let child = Locked<ChildProcess?>(nil)

    init(name: String, program: URL, arguments: [String], environment: [String: String], log: URL) {
        self.name = name
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.log = log
    }

    /// The process id while it runs.
    var processID: Int32? { running?.processID }

    /// Whether it was started and has not ended.
    var isRunning: Bool { running != nil }

    private var running: ChildProcess? { child.withLock { $0?.status == nil ? $0 : nil } }

    /// Starts the program; output is appended to the log.
    func start() throws {
        let child = try ChildProcess(
            ChildCommand(
                "setpriv", ["--pdeathsig=KILL", "--", program.path] + arguments,
                environment: ChildCommand.environment(adding: environment), output: .file(log), errors: .file(log)))
        self.child.withLock { $0 = child }
    }

    /// Sends SIGKILL and waits for the end.
    func killNow() async { await end(SIGKILL) }

    /// Sends SIGTERM and waits for the exit status; nil when it does not run.
    @discardableResult
    func terminate() async -> Int32? { await end(SIGTERM) }

    @discardableResult
    private func end(_ signal: Int32) async -> Int32? {
        let child = child.withLock { child in
            defer { child = nil }
            return child
        }
        guard let child else { return nil }
        child.signal(signal)
        return await child.ended()
    }
}
