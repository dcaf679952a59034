public import OrchardServiceKit

/// Keeps log lines for a test.
public final class LogRecorder: LogHandler {
    public struct Line: Equatable, Sendable {
        public let level: LogLevel
        public let message: String
        public let metadata: [String: String]
    }

    private let recorded = Locked<[Line]>([])

    public init() {}

    public var lines: [Line] { recorded.withLock { $0 } }
    public var logger: Logger { Logger(label: "test", level: .debug, handler: self) }

    public func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        recorded.withLock { $0.append(Line(level: level, message: message, metadata: metadata)) }
    }
}
