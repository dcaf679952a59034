import Foundation

/// The independent wallet in Python, where it is beside the project (`../shared/oracles`).
struct Oracle {
    /// The folder beside this package that holds oracles and real tokens.
    static let shared = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared")
        .standardizedFileURL

    /// Python with `cryptography` and `asn1crypto`: `ORACLE_PYTHON`, see Tests/Oracles/prepare.
    static let interpreter = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? "/usr/bin/python3"

    static let isPresent: Bool = {
        let script = shared.appending(path: "oracles/apple_wallet.py").path
        let probe = Process()
        probe.executableURL = URL(filePath: interpreter)
        let check = "import asn1crypto, cryptography; assert int(cryptography.__version__.split('.')[0]) > 41"
        probe.arguments = ["-c", check]
        probe.standardError = FileHandle.nullDevice
        let hasRun = (try? probe.run()) != nil
        if hasRun { probe.waitUntilExit() }
        let isPresent = FileManager.default.fileExists(atPath: script) && hasRun && probe.terminationStatus == 0
        if !isPresent { print("SKIPPED: no \(script), or \(interpreter) lacks its packages (set ORACLE_PYTHON)") }
        return isPresent
    }()

    static var hasRealTokens: Bool {
        let folder = shared.appending(path: "fixtures").path
        let isPresent = FileManager.default.fileExists(atPath: folder)
        if !isPresent { print("SKIPPED: no real tokens in \(folder)") }
        return isPresent
    }

    /// Runs a command of the wallet.
    func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.interpreter)
        process.arguments = [Self.shared.appending(path: "oracles/apple_wallet.py").path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw OracleFailure(arguments: arguments, status: status) }
    }
}

/// A command of the oracle that failed; what it had to say is on standard error.
struct OracleFailure: Error {
    let arguments: [String]
    let status: Int32
}
