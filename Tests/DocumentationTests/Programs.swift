import Foundation
import SandboxBroker
import ServiceKit

/// The programs that were built with these tests.
enum Programs {
    static let names = ["token-ingest", "charge-gateway", "order-ledger", "sandbox"]

    /// A search path that finds them first.
    static var path: String {
        get throws {
            try SandboxExecutable.find().deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"
        }
    }

    /// The help of a command.
    static func help(_ words: [String]) throws -> String {
        let process = Process()
        process.executableURL = try SandboxExecutable.find(name: words[0])
        process.arguments = words.dropFirst() + ["--help"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
