import Foundation
import ServiceKit

/// The outside oracles, which lie beside the checkout on the machine that develops and tests this.
enum Oracle {
    /// The path of an oracle; nil when it is not there.
    static func path(_ name: String) -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent("../shared/oracles/\(name)").standardized.path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Runs a Python program to its end.
    static func python(_ arguments: [String]) async throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let result = Locked(("", Int32(-1)))
        let handle = pipe.fileHandleForReading
        await runOnOwnThread(named: "python") {
            let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            result.withLock { $0.0 = text }
        }
        process.waitUntilExit()
        return (result.withLock { $0.0 }, process.terminationStatus)
    }
}
