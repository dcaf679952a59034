import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@Suite("A route that answers nothing but one failure", .timeLimit(.minutes(4)))
struct FailureRunTests {
    private static let limit = 20

    /// Sends requests whose bodies say how they are answered.
    private func run(_ answers: [String]) async throws -> (
        warnings: Int, ready: ReadinessReport.Component?, metrics: String
    ) {
        var router = Router()
        router.on(.post, "/pay") { request, _ in
            switch String(decoding: request.body, as: UTF8.self) {
            case "no": throw Problem(.unauthorized, code: "ticket-refused", detail: "check the JWKS file")
            case "down": throw Problem(.serviceUnavailable, code: "busy")
            case "bad": throw Problem(.badRequest, code: "bad")
            default: return .text("ok")
            }
        }
        let (readiness, metrics, log) = (Readiness(), MetricsRegistry(), LogRecorder())
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router, logger: log.logger,
            metrics: metrics, readiness: readiness)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let connection = try RawConnection(port: try await server.boundPort)
            for answer in answers {
                connection.send(
                    "POST /pay HTTP/1.1\r\nHost: a\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
                _ = await connection.read { $0.hasSuffix("}") || $0.hasSuffix("ok") }
            }
            group.cancelAll()
        }
        return (
            log.lines.filter { $0.message.contains("the last \(Self.limit) answers of POST /pay were") }.count,
            readiness.report.components["answers"], metrics.expose()
        )
    }

    @Test("is told once, with the cause, in the log, in metrics and in /readyz, and stays ready")
    func reported() async throws {
        let reported = try await run(Array(repeating: "no", count: Self.limit + 5))
        #expect(reported.warnings == 1)
        #expect(reported.ready?.isReady == true)
        #expect(reported.ready?.reason.contains("were 401 ticket-refused: check the JWKS file") == true)
        #expect(reported.metrics.contains("http_server_failures_in_a_row{http_route=\"POST /pay\"} 25"))
    }

    @Test(
        "is none while something else comes between, or the client is at fault",
        arguments: [
            Array(repeating: "no", count: 19), Array(repeating: "no", count: 19) + ["ok"] + ["no"],
            Array(repeating: "no", count: 10) + Array(repeating: "down", count: 10), Array(repeating: "bad", count: 40),
        ])
    func notReported(_ answers: [String]) async throws {
        let reported = try await run(answers)
        #expect(reported.warnings == 0 && reported.ready == nil)
    }

    @Test("is over with the first other answer")
    func over() async throws {
        let reported = try await run(Array(repeating: "down", count: Self.limit) + ["ok"])
        #expect(reported.warnings == 1)
        #expect(reported.ready?.reason == "POST /pay has other answers again")
        #expect(reported.metrics.contains("http_server_failures_in_a_row{http_route=\"POST /pay\"} 0"))
    }
}
