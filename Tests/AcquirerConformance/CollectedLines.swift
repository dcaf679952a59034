import OrchardServiceKit

/// Keeps what a connector logs, to search it for card data.
final class CollectedLines: LogHandler {
    private let all = Locked<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        all.withLock { $0.append("\(message) \(metadata)") }
    }
}
