import Foundation
import OrchardHTTPServer
import SandboxProcesses
import TestSupport
import Testing

/// The outside probe of strictness (RFC 9112, RFC 9110) against a running server.
@Suite struct ProbeTests {
    /// Where the server is knowingly stricter than the RFC asks; everything else that should hold, holds.
    private static let stricter: Set<String> = [
        "GET with half-close behind it",
        "absolute target",
        "chunk extension is ignored",
        "chunk trailer is taken",
    ]

    private struct Report: Decodable {
        struct Case: Decodable {
            let name: String
            let level: String
            let ok: Bool
            let seen: String
        }
        let cases: [Case]
    }

    @Test(
        "every must case holds, and every should case but the stricter ones; with handlers in tasks and immediate ones",
        .enabled(if: Oracles.has("http_probe.py"), "\(Oracles.absence)"), arguments: [false, true])
    func strictness(isImmediate: Bool) async throws {
        let output = try await withServer(demoRouter(isImmediate: isImmediate)) { port in
            try await Oracles.run([
                Oracles.path("http_probe.py"), "\(port)", "--post-path", "/echo", "--wait", "10", "--json",
            ]).output
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        #expect(report.cases.count > 150)
        for result in report.cases where !result.ok && !Self.stricter.contains(result.name) {
            Issue.record("\(result.level) \(result.name): \(result.seen)")
        }
        #expect(report.cases.allSatisfy { $0.level == "should" || $0.ok })
    }
}
