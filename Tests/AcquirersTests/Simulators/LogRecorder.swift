import OrchardServiceKit

/// Keeps every line that is logged.
final class LogRecorder: LogHandler {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test", level: .debug, handler: self) }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        let line = "\(label) \(message) \(metadata)"
        lines.withLock { $0.append(line) }
    }
}
