/// What the log shows and how.
///
/// Configuration keys:
/// - `log.level` (debug, info, notice, warning, error or critical; default info)
/// - `log.format` (json or text; default json)
public struct LogConfiguration: Sendable, Equatable {
    public var level: LogLevel
    public var format: LogFormat

    public init(level: LogLevel = .info, format: LogFormat = .json) {
        self.level = level
        self.format = format
    }

    public init(reader: ConfigReader) {
        let log = reader.scoped(to: "log")
        level = log.choice("level", doc: "Lines below this level are not written.", default: .info)
        format = log.choice("format", doc: "One JSON object a line, or text for humans.", default: .json)
    }

    /// The program's logger.
    public func logger(label: String, writer: LogWriter = .standardOutput) -> Logger {
        writer.format = format
        return Logger(label: label, level: level, handler: writer)
    }
}
