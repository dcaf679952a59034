import Foundation
import OrchardServiceKit

/// Silent, or on standard error when `ORCHARD_TEST_LOG` is set.
let testLogger = Logger(
    label: "test", level: .debug,
    handler: ProcessInfo.processInfo.environment["ORCHARD_TEST_LOG"] == nil
        ? NoLogHandler() : ErrorLog() as any LogHandler)

private struct ErrorLog: LogHandler {
    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
        FileHandle.standardError.write(Data("\(level) \(label): \(message) \(metadata)\n".utf8))
    }
}

/// Passes each line's message on.
struct LineLog: LogHandler {
    let write: @Sendable (String) -> Void

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func log(level: LogLevel, label: String, message: String, metadata: [String: String]) { write(message) }
}
