import Foundation
import OrchardServiceKit
import SandboxAcquirer
import SandboxProcesses
import TestSupport
import Testing

/// An acquirer on this machine that keeps a book and misbehaves by the last three digits of the amount.
enum Simulator: Sendable {
    /// The sandbox's, in this process.
    case sandbox
    /// The independent Python program of `../shared/oracles`.
    case python

    /// Runs `body` with the simulator's address.
    ///
    /// Slow answers take six seconds, notifications follow each other within a second.
    func run(
        _ pki: AcquirerPKI, in folder: URL, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        switch self {
        case .sandbox:
            var options = SimulatorOptions()
            options.timeScale = 0.000_1
            options.processingTime = .milliseconds(1)
            options.slowAnswer = .seconds(6)
            let server = try AcquirerServer(pki: pki, options: options, logger: Logger(label: "acquirer"))
            try await withService(server) { try await body("http://127.0.0.1:\(server.boundPort)") }
        case .python:
            let program = try ChildProcess(
                ChildCommand(
                    Oracles.python,
                    [
                        Oracles.path("unionpay_acquirer.py"), "serve", folder.path, "--port", "0", "--time-scale",
                        "0.0001", "--process-ms", "1", "--slow-s", "6",
                    ], output: .pipe, errors: .null))
            defer { program.signal(SIGKILL) }
            let port = try #require(await program.line()).replacing("ready ", with: "")
            try await body("http://127.0.0.1:\(port)")
        }
    }
}

/// Runs a service while `body` runs.
func withService(_ service: some Service, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try? await service.run() }
        defer { group.cancelAll() }
        try await body()
    }
}
