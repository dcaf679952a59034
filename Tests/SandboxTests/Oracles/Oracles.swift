import Foundation

/// The independent Python programs in `../shared/oracles`, where this checkout has them beside it.
enum Oracles {
    /// Said when a test that needs them is skipped.
    static let absence = "../shared/oracles or its Python packages are not here"

    /// Whether the programs can run: `ORACLE_PYTHON` names an interpreter that has their packages.
    static let arePresent: Bool = {
        let probe = try? run(["-c", "import cryptography, asn1crypto"])
        return probe?.status == 0 && FileManager.default.fileExists(atPath: path("apple_wallet.py"))
    }()

    static func path(_ name: String) -> String {
        URL(filePath: #filePath).appending(path: "../../../../../shared/oracles/\(name)").standardizedFileURL.path
    }

    /// Runs Python to its end; the programs asked for here take a second or two.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? "python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
