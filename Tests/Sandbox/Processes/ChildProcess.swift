import Foundation
import OrchardServiceKit

/// A program as a child of this process.
///
/// Unlike Foundation's `Process` it learns of the end from the kernel, not from an open file that other programs may
/// inherit, and it hands down none of this process's open files. Its own children may outlive it: what they write
/// after its end is not read. Its input is closed when this object is freed.
public final class ChildProcess: Sendable {
    /// Its process id.
    public let processID: pid_t
    private let record: ChildRecord
    private let input: ChildInput?

    /// Starts the program.
    ///
    /// It is started on a thread of its own, which lives until it has ended: `setpriv --pdeathsig` signals a program
    /// when the thread that started it ends.
    public init(_ command: ChildCommand) throws(ChildProcessError) {
        let record = ChildRecord()
        let started = Locked<Result<(process: pid_t, writing: Descriptor?), ChildProcessError>?>(nil)
        let isStarted = DispatchSemaphore(value: 0)
        let thread = Thread {
            let child = Self.start(command, started)
            isStarted.signal()
            child?.follow(record)
        }
        thread.name = "child"
        thread.start()
        isStarted.wait()
        // Taken out: the input is closed when this object closes it.
        let result = started.withLock { result in
            defer { result = nil }
            return result
        }
        guard let child = try result?.get() else { throw ChildProcessError("no thread") }
        self.record = record
        processID = child.process
        input = child.writing.map { ChildInput($0) }
    }

    private static func start(
        _ command: ChildCommand, _ started: Locked<Result<(process: pid_t, writing: Descriptor?), ChildProcessError>?>
    ) -> StartedChild? {
        do throws(ChildProcessError) {
            let streams = try ChildStreams(command)
            let child = try StartedChild(command, streams)
            started.withLock { $0 = .success((child.process, streams.writing)) }
            return child
        } catch {
            started.withLock { $0 = .failure(error) }
            return nil
        }
    }

    /// The exit status as in a shell, the exit code or 128 and the signal's number; nil while it runs.
    public var status: Int32? { record.status }

    /// What it wrote to the pipe so far, without the lines that were taken.
    public var output: String { String(decoding: record.output, as: UTF8.self) }

    /// Sends a signal unless it has ended.
    public func signal(_ number: Int32) {
        record.whileItRuns { kill(processID, number) }
    }

    /// Waits for the end. Cancellation kills the child.
    ///
    /// - Returns: the exit status.
    @discardableResult
    public func ended() async -> Int32 {
        await withTaskCancellationHandler {
            await record.ended()
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Waits for a line of its output and takes it, with all before it.
    ///
    /// - Parameter wanted: what the line must contain.
    /// - Returns: the line without its end; nil when there is none after two minutes or at the child's end.
    public func line(containing wanted: String = "") async -> String? {
        let (found, deadline) = (Locked<String?>(nil), ContinuousClock.now + .seconds(120))
        await runOnOwnThread(named: "line") { [record] in
            while let line = record.lineBlocking(until: deadline) {
                if wanted.isEmpty || line.contains(wanted) { return found.withLock { $0 = line } }
            }
        }
        return found.withLock { $0 }
    }
}

/// For code without `await`. These calls block their thread, for a limited time.
extension ChildProcess {
    /// Waits for the end.
    ///
    /// - Returns: the exit status; nil when it has not ended by then.
    public func statusBlocking(within limit: Duration) -> Int32? { record.statusBlocking(until: .now + limit) }

    /// Sends a signal and waits for the end; a child that is still there after a minute is killed.
    public func stopBlocking(_ number: Int32 = SIGTERM) {
        signal(number)
        if statusBlocking(within: .seconds(60)) != nil { return }
        signal(SIGKILL)
        _ = statusBlocking(within: .seconds(10))
    }

    /// Waits for a line of its output and takes it.
    public func lineBlocking(within limit: Duration) throws(ChildProcessError) -> String {
        guard let line = record.lineBlocking(until: .now + limit) else {
            throw ChildProcessError(status.map { "it ended with \($0)" } ?? "it wrote no line within \(limit)")
        }
        return line
    }

    /// Writes to its input.
    public func writeBlocking(_ bytes: [UInt8], within limit: Duration) throws(ChildProcessError) {
        guard let input else { throw ChildProcessError("its input is no pipe") }
        try input.write(bytes, until: .now + limit)
    }

    /// Tells it that no more input comes.
    public func closeInput() { input?.close() }
}
