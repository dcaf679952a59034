import Foundation
import SandboxProcesses

/// Runs the outside HTTP probe against the public port of each service: framing, smuggling, limits.
struct ProbeCheck: Sendable {
    let environment: DemoEnvironment
    let oracles: Oracles

    struct Outcome: Sendable {
        let lines: [String]
        let findings: [Finding]
    }

    func run() async throws -> Outcome {
        var lines: [String] = []
        var findings: [Finding] = []
        for (worker, target) in [
            (environment.ingests[0], "/v1/payments"), (environment.gateways[0], "/v1/notifications/unionpay"),
            (environment.ledgers[0], "/v1/orders"),
        ] {
            let port = worker.address.split(separator: ":").last.map(String.init) ?? ""
            let probe = try await ProgramRun.demo(
                oracles.python,
                [
                    oracles.folder.appending(path: "http_probe.py").path, port, "--path", "/healthz", "--post-path",
                    target, "--wait", "10",
                ], environment: [:])
            let last = probe.output.split(separator: "\n").last.map(String.init) ?? "no output"
            lines.append("  \(worker.name): \(last)")
            if probe.status != 0 {
                let failures = probe.output.split(separator: "\n").filter { $0.contains("FAIL") && $0.contains("must") }
                findings.append(Finding(book: "probe", text: "\(worker.name): \(last); \(failures.prefix(5))"))
            }
        }
        return Outcome(lines: lines, findings: findings)
    }
}
