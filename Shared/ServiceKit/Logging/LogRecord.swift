/// One line of the log before it is written.
struct LogRecord: Sendable {
    /// Milliseconds since 1970, UTC.
    let time: Int64
    let level: LogLevel
    let label: String
    let message: String
    let metadata: [String: String]
}
