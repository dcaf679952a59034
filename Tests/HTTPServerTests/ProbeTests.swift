import Foundation
import HTTPServer
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

    @Test(.enabled(if: Oracle.path("http_probe.py") != nil, "needs ../shared/oracles/http_probe.py"))
    func everyMustCaseHoldsAndEveryShouldCaseButTheStricterOnes() async throws {
        let probe = try #require(Oracle.path("http_probe.py"))
        let output = try await withServer(demoRouter()) { port in
            try await Oracle.python([probe, String(port), "--post-path", "/echo", "--json"]).output
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        #expect(report.cases.count > 150)
        for result in report.cases where !result.ok && !Self.stricter.contains(result.name) {
            Issue.record("\(result.level) \(result.name): \(result.seen)")
        }
        #expect(report.cases.allSatisfy { $0.level == "should" || $0.ok })
    }

    @Test(
        .enabled(if: Oracle.path("http_probe.py") != nil, "needs ../shared/oracles/http_probe.py"),
        .timeLimit(.minutes(2)))
    func slowClientsAreEndedAndHoldNobodyUp() async throws {
        let probe = try #require(Oracle.path("http_probe.py"))
        var limits = HTTPServerLimits()
        (limits.headTime, limits.bodyTime, limits.writeTime) = (.seconds(2), .seconds(2), .seconds(2))
        limits.idleTime = .seconds(2)
        let output = try await withServer(demoRouter(), limits: limits) { port in
            try await Oracle.python([
                probe, String(port), "--post-path", "/echo", "--json", "--only", "slow", "--slow", "15", "--slow-count",
                "20",
            ]).output
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        #expect(report.cases.filter { $0.name.hasPrefix("slow ") }.count == 6)
        // How soon others are served says nothing of the server here: other tests have the machine and its threads.
        for result in report.cases where !result.ok && !result.name.hasSuffix("others are served") {
            Issue.record("\(result.level) \(result.name): \(result.seen)")
        }
    }
}
