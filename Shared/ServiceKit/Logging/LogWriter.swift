import Foundation

/// Writes log lines to a file descriptor on a thread of its own, so that a slow reader never blocks the program.
///
/// Lines wait in a bounded queue. When half of it is full, debug lines are dropped; when all of it is, any line is.
/// Dropped lines are counted and the count is logged as soon as there is room again.
public final class LogWriter: LogHandler, Sendable {
    /// Writes to standard output.
    public static let standardOutput = LogWriter(descriptor: STDOUT_FILENO)
    /// Writes to standard error: for commands that write their result to standard output.
    public static let standardError = LogWriter(descriptor: STDERR_FILENO)

    private struct Queue {
        var format = LogFormat.text
        var waiting: [LogRecord] = []
        var isWriting = false
        var isStarted = false
        var dropped: Int64 = 0
        var unreported: Int64 = 0
    }

    private let queue = Locked(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let descriptor: Int32
    private let capacity: Int

    /// - Parameter capacity: how many lines may wait.
    public init(descriptor: Int32, capacity: Int = 16_384) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// The format of the lines from now on; text until it is set.
    public var format: LogFormat {
        get { queue.withLock { $0.format } }
        set { queue.withLock { $0.format = newValue } }
    }

    /// How many lines were dropped since the start.
    public var droppedLines: Int64 { queue.withLock { $0.dropped } }

    /// Whether lines wait that the writing thread has not fetched yet.
    var hasWaitingLines: Bool { queue.withLock { !$0.waiting.isEmpty } }

    public func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        let record = LogRecord(time: Self.now(), level: level, label: label, message: message, metadata: metadata)
        let (mustStart, mustWake) = queue.withLock { queue -> (Bool, Bool) in
            guard queue.waiting.count < (level == .debug ? capacity / 2 : capacity) else {
                queue.dropped += 1
                queue.unreported += 1
                return (false, false)
            }
            queue.waiting.append(record)
            defer { queue.isStarted = true }
            return (!queue.isStarted, queue.waiting.count == 1)
        }
        if mustStart { start() }
        if mustWake { wake.signal() }
    }

    /// Waits until what was logged so far is written, at most `limit`. Blocks: for the end of the program only.
    public func flush(atMost limit: Duration = .seconds(2)) {
        let end = ContinuousClock.now + limit
        while queue.withLock({ !$0.waiting.isEmpty || $0.isWriting }), ContinuousClock.now < end { usleep(500) }
    }

    private func start() {
        // The thread holds the writer for the lifetime of the process: loggers do too.
        let thread = Thread { self.writeForever() }
        thread.name = "log"
        thread.start()
    }

    private func writeForever() {
        while true {
            wake.wait()
            let (records, format, untold) = queue.withLock { queue in
                defer {
                    queue.waiting = []
                    queue.unreported = 0
                    queue.isWriting = true
                }
                return (queue.waiting, queue.format, queue.unreported)
            }
            var bytes: [UInt8] = []
            for record in records {
                bytes += format.line(record)
                if bytes.count > 1 << 16 {
                    write(bytes)
                    bytes.removeAll(keepingCapacity: true)
                }
            }
            if untold > 0 {
                let note = LogRecord(
                    time: Self.now(), level: .warning, label: "log",
                    message: "log lines were dropped: the reader is slow",
                    metadata: ["dropped": String(untold)])
                bytes += format.line(note)
            }
            write(bytes)
            queue.withLock { $0.isWriting = false }
        }
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return  // the reader has closed the pipe
            }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
