import Foundation
import SandboxProcesses
import TestSupport

/// Runs a Python program, to compare with another implementation.
struct PythonScript {
    /// Debian's Python, whose package python3-jwcrypto is the peer.
    static let interpreter = "/usr/bin/python3"

    /// Whether the interpreter can import the module. In CI (`CI=true`) this is always true, so that the tests run and
    /// fail.
    static func mustRun(importing module: String) -> Bool {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        let found = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/\(module)")
        if !found { print("SKIPPED: \(module) is not installed (apt install python3-\(module))") }
        return found
    }

    let source: String

    /// The output of the program when it gets `input` on its standard input.
    func run(_ input: String) async throws -> String {
        let folder = try TemporaryFolder()
        let given = URL(filePath: try folder.write("in", input))
        let run = try await ProgramRun.outside(Self.interpreter, ["-c", source], input: given)
        guard run.status == 0 else { throw PythonFailure(output: run.output) }
        return run.output
    }
}

/// A program that failed, with its error output.
struct PythonFailure: Error {
    let output: String
}
