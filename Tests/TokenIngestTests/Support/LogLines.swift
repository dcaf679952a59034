import OrchardServiceKit

/// Stores what was logged.
final class LogLines: LogHandler {
    private let lines = Locked<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        lines.withLock { $0.append("\(level) \(message) \(metadata)") }
    }
}
