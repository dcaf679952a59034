import Foundation

/// Runs a Python program, for the word of another implementation.
struct PythonScript {
    /// Debian's Python, whose package python3-jwcrypto is the peer.
    static let interpreter = "/usr/bin/python3"

    /// Whether the interpreter can import the module. In CI (`CI=true`) it must: then the tests run and fail.
    static func mustRun(importing module: String) -> Bool {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        let found = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/\(module)")
        if !found { print("SKIPPED: \(module) is not installed (apt install python3-\(module))") }
        return found
    }

    let source: String

    /// What the program prints when it gets `input` on its standard input.
    func run(_ input: String) async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "orchard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (given, printed) = (directory.appending(path: "in"), directory.appending(path: "out"))
        try Data(input.utf8).write(to: given)
        try Data().write(to: printed)
        let process = Process()
        process.executableURL = URL(filePath: Self.interpreter)
        process.arguments = ["-c", source]
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: printed)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw PythonFailure(status: status) }
        return try String(contentsOf: printed, encoding: .utf8)
    }
}

/// The program's exit code; what it had to say is on standard error.
struct PythonFailure: Error {
    let status: Int32
}
