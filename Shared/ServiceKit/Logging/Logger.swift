/// Writes structured log lines; the shape of swift-log's `Logger`.
///
/// Metadata are plain strings; inside a ``TraceContext`` each line also gets `trace_id` and `span_id`. Card data, keys
/// and tokens are never passed to a logger: redaction is only the second protection.
public struct Logger: Sendable {
    /// Names the part of the program, for example `charge-gateway.timer`.
    public let label: String
    /// Lines below this level are not even built.
    public var level: LogLevel
    private let handler: any LogHandler
    private var metadata: [String: String] = [:]

    public init(label: String, level: LogLevel = .info, handler: any LogHandler = NoLogHandler()) {
        self.label = label
        self.level = level
        self.handler = handler
    }

    /// A logger for a part: label `parent.part`, same handler, level and metadata.
    public func scoped(to part: String) -> Logger {
        var logger = Logger(label: "\(label).\(part)", level: level, handler: handler)
        logger.metadata = metadata
        return logger
    }

    /// A value written with each line of this copy of the logger.
    public subscript(metadataKey key: String) -> String? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String] = [:]
    ) {
        guard level >= self.level else { return }
        var all = self.metadata.merging(metadata()) { _, new in new }
        if let trace = TraceContext.current {
            all["trace_id"] = trace.traceID
            all["span_id"] = trace.spanID
        }
        handler.log(level: level, label: label, message: message(), metadata: all)
    }

    /// Logs a line at this level; the texts are made only when it is written.
    public func debug(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.debug, message(), metadata: metadata())
    }
    /// Logs a line at this level; the texts are made only when it is written.
    public func info(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.info, message(), metadata: metadata())
    }
    /// Logs a line at this level; the texts are made only when it is written.
    public func notice(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.notice, message(), metadata: metadata())
    }
    /// Logs a line at this level; the texts are made only when it is written.
    public func warning(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.warning, message(), metadata: metadata())
    }
    /// Logs a line at this level; the texts are made only when it is written.
    public func error(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.error, message(), metadata: metadata())
    }
    /// Logs a line at this level; the texts are made only when it is written.
    public func critical(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.critical, message(), metadata: metadata())
    }
}
