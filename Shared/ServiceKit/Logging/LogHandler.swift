/// The destination of log lines. A handler never blocks its caller.
public protocol LogHandler: Sendable {
    func log(level: LogLevel, label: String, message: String, metadata: [String: String])
}

/// Drops everything; the default of libraries without a logger.
public struct NoLogHandler: LogHandler {
    public init() {}
    public func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {}
}

/// The severity of a log line.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error, critical

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .notice: 2
        case .warning: 3
        case .error: 4
        case .critical: 5
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// One line of the log before it is written.
struct LogRecord: Sendable {
    /// Milliseconds since 1970, UTC.
    let time: Int64
    let level: LogLevel
    let label: String
    let message: String
    let metadata: [String: String]
}
