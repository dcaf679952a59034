import ServiceKit

/// Keeps log lines for a test to look at.
final class LogRecorder: LogHandler {
    struct Line: Sendable {
        let level: LogLevel
        let message: String
        let metadata: [String: String]
    }

    private let all = Locked<[Line]>([])

    var lines: [Line] { all.withLock { $0 } }
    var logger: Logger { Logger(label: "test", level: .debug, handler: self) }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        all.withLock { $0.append(Line(level: level, message: message, metadata: metadata)) }
    }
}
