import Foundation

/// The independent Python programs in `../shared/oracles`, where this checkout has them beside it.
enum Oracles {
    /// Said when a test that needs them is skipped.
    static let absence = "../shared/oracles or its Python packages are not here"

    /// The interpreter that has their packages.
    static let python = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? "python3"

    static let folder = URL(filePath: #filePath).appending(path: "../../../../../shared/oracles").standardizedFileURL
        .path

    /// Whether the programs can run.
    static let arePresent: Bool = {
        let probe = try? run(["-c", "import cryptography, asn1crypto"])
        return probe?.status == 0 && FileManager.default.fileExists(atPath: path("apple_wallet.py"))
    }()

    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Runs Python to its end.
    static func run(_ arguments: [String], input: URL? = nil) throws -> (status: Int32, output: String) {
        try run(python, arguments, input: input)
    }

    /// Runs a program to its end; what is asked for here takes a second or two.
    static func run(
        _ program: String, _ arguments: [String], input: URL? = nil, in directory: URL? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
