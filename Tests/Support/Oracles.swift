import Foundation
import SandboxProcesses

/// Resources beside the checkout on the development machine: independent programs in Python, and real tokens issued by
/// Apple. Tests that need them are skipped elsewhere.
public enum Oracles {
    /// The text when a test is skipped.
    public static let absence = "../shared or the oracles' Python packages are not here; see Tests/Oracles/prepare"

    /// The interpreter; once prepared, it has the oracles' packages.
    public static let python = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? "python3"

    private static let shared = Checkout.root.appending(path: "../shared").standardizedFileURL
    /// The folder of the programs.
    public static let folder = shared.appending(path: "oracles").path
    /// The folder of the real tokens, one folder each.
    public static let tokens = shared.appending(path: "fixtures")

    public static var hasTokens: Bool { FileManager.default.fileExists(atPath: tokens.path) }

    /// Whether the programs that need packages can run.
    public static let arePresent: Bool = {
        guard has("apple_wallet.py") else { return false }
        // Debian's own cryptography is too old for the wallet.
        let check = "import asn1crypto, cryptography, pytest; assert int(cryptography.__version__.split('.')[0]) > 41"
        return (try? ProgramRun(python, ["-c", check]))?.status == 0
    }()

    public static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Whether a program exists; some need no packages.
    public static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Runs Python to its end.
    public static func run(
        _ arguments: [String], input: URL? = nil, in directory: URL? = nil
    ) async throws -> ProgramRun {
        let environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        return try await ProgramRun.outside(python, arguments, input: input, in: directory, environment: environment)
    }
}
