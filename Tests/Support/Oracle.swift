import Foundation
import ServiceKit

/// The outside oracles, which lie beside the checkout on the machine that develops and tests this.
public enum Oracle {
    /// The path of an oracle; nil when it is not there.
    public static func path(_ name: String) -> String? {
        let path = Checkout.root.appending(path: "../shared/oracles/\(name)").standardizedFileURL.path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Runs a Python program to its end, on a thread of its own.
    public static func python(_ arguments: [String]) async throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let result = Locked("")
        let handle = pipe.fileHandleForReading
        await runOnOwnThread(named: "python") {
            let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            result.withLock { $0 = text }
        }
        process.waitUntilExit()
        return (result.withLock { $0 }, process.terminationStatus)
    }
}
