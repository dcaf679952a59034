/// Where log lines go. A handler never blocks its caller.
public protocol LogHandler: Sendable {
    func log(level: LogLevel, label: String, message: String, metadata: [String: String])
}

/// Drops everything; the default of libraries that were given no logger.
public struct NoLogHandler: LogHandler {
    public init() {}
    public func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {}
}
