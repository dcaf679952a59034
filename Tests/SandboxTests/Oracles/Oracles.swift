import Foundation
import TestSupport

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
        let probe = try? ProgramRun(python, ["-c", "import cryptography, asn1crypto, pytest"])
        return probe?.status == 0 && FileManager.default.fileExists(atPath: path("apple_wallet.py"))
    }()

    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Runs Python to its end.
    static func run(_ arguments: [String], input: URL? = nil, in directory: URL? = nil) async throws -> ProgramRun {
        try await ProgramRun.outside(python, arguments, input: input, in: directory)
    }
}
