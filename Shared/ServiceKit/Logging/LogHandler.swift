/// The destination of log lines. A handler never blocks its caller.
public protocol LogHandler: Sendable {
    func log(level: LogLevel, label: String, message: String, metadata: [String: String])
}

/// Drops everything; the default of libraries without a logger.
public struct NoLogHandler: LogHandler {
    public init() {}
    public func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {}
}
