import Foundation
import SandboxProcesses

/// The independent simulators in Python that can replace our own wallet and acquirer. They were written from the same
/// protocols and do not share our mistakes.
struct Oracles: Sendable {
    /// The folder of `apple_wallet.py` and `unionpay_acquirer.py`.
    let folder: URL
    /// A Python with the required packages, from `ORACLE_PYTHON`.
    let python: URL

    init(folder: URL) throws(DemoError) {
        let environment = ProcessInfo.processInfo.environment
        self.folder = folder.standardizedFileURL
        python = URL(filePath: environment["ORACLE_PYTHON"] ?? "/usr/bin/python3")
        for name in ["apple_wallet.py", "unionpay_acquirer.py"]
        where !FileManager.default.fileExists(atPath: folder.appending(path: name).path) {
            throw DemoError("--oracles: \(name) is not in \(folder.path)")
        }
    }

    private var acquirer: String { folder.appending(path: "unionpay_acquirer.py").path }

    /// Makes the wallet's keys in a folder with our layout.
    func makeWallet(in directory: URL, merchants: [String]) async throws {
        let made = try await ProgramRun.demo(
            python,
            [folder.appending(path: "apple_wallet.py").path, "init", directory.path]
                + merchants.flatMap { ["--merchant", $0] }, environment: [:])
        guard made.status == 0 else { throw DemoError("the wallet oracle could not make its keys:\n\(made.output)") }
    }

    /// Makes the acquirer's keys in a folder with our layout.
    func makeAcquirer(in directory: URL, accounts: [String]) async throws {
        let made = try await ProgramRun.demo(
            python, [acquirer, "init", directory.path] + accounts.flatMap { ["--mer-id", $0] }, environment: [:])
        guard made.status == 0 else { throw DemoError("the acquirer oracle could not make its keys:\n\(made.output)") }
    }

    /// The command that serves the acquirer.
    func serveAcquirer(_ directory: URL, port: Int) -> (program: URL, arguments: [String]) {
        (
            python,
            [
                "Tests/Oracles/acquirer.py", folder.path, "serve", directory.path, "--port", "\(port)", "--time-scale",
                "0.02",
            ]
        )
    }
}
