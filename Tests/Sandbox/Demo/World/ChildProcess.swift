import Foundation
import OrchardServiceKit

/// A program of the demo in its own process, with its output in a log file. It ends with this process, however that
/// ends.
final class ChildProcess: Sendable {
    /// For the log and the summary, for example `charge-gateway 2`.
    let name: String
    let log: URL
    private let program: URL
    private let arguments: [String]
    private let environment: [String: String]
    private let running = Locked<(process: Int32, exit: AsyncStream<Int32>)?>(nil)

    init(name: String, program: URL, arguments: [String], environment: [String: String], log: URL) {
        self.name = name
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.log = log
    }

    /// The process id while it runs.
    var processID: Int32? { running.withLock { $0?.process } }

    /// Whether it was started and has not ended.
    var isRunning: Bool {
        guard let processID else { return false }
        return kill(processID, 0) == 0 && !isZombie(processID)
    }

    private func isZombie(_ processID: Int32) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)) ?? ""
        return stat.isEmpty || stat.contains(") Z ")
    }

    /// Starts the program; output is appended to the log.
    func start() async throws {
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let (exit, exited) = AsyncStream<Int32>.makeStream()
        let processID: Int32 = try await withCheckedThrowingContinuation { started in
            // The thread that starts the program waits for its end: the program gets a signal when the thread ends.
            Thread.detachNewThread { [self] in serve(started, exited) }
        }
        running.withLock { $0 = (processID, exit) }
    }

    /// Sends SIGKILL and waits for the end.
    func killNow() async {
        guard let processID else { return }
        kill(processID, SIGKILL)
        _ = await waitForExit()
    }

    /// Sends SIGTERM and waits for the exit status.
    @discardableResult
    func terminate() async -> Int32? {
        guard let processID else { return nil }
        kill(processID, SIGTERM)
        return await waitForExit()
    }

    /// The exit status, once it has ended; nil when it never ran.
    func waitForExit() async -> Int32? {
        guard let current = running.withLock({ $0 }) else { return nil }
        var status: Int32?
        for await code in current.exit { status = code }
        running.withLock { if $0?.process == current.process { $0 = nil } }
        return status
    }

    private func serve(
        _ started: CheckedContinuation<Int32, any Error>, _ exited: AsyncStream<Int32>.Continuation
    ) {
        // A child inherits its thread's blocked signals, and this process blocks those that it waits for.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--pdeathsig=KILL", "--", program.path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        do {
            let handle = try FileHandle(forWritingTo: log)
            try handle.seekToEnd()
            process.standardOutput = handle
            process.standardError = handle
            try process.run()
        } catch {
            exited.finish()
            return started.resume(throwing: DemoError("\(name) does not start: \(error)"))
        }
        started.resume(returning: process.processIdentifier)
        process.waitUntilExit()
        exited.yield(process.terminationStatus)
        exited.finish()
    }
}
