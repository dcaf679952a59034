import Foundation
import SandboxBroker
import SandboxProcesses
import TestSupport

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
    static func help(_ arguments: [String]) throws -> String {
        try ProgramRun(SandboxExecutable.find(name: arguments[0]).path, arguments.dropFirst() + ["--help"]).output
    }
}
