import Foundation
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@Suite struct HTTPServerTests {
    private static func get(_ target: String, _ fields: String...) -> String {
        (["GET \(target) HTTP/1.1", "Host: a"] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n")
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String { "the inner cause" }
    }

    private func answer(
        _ router: Router, _ request: String, logger: Logger = Logger(label: "test"), adoptsTraceparent: Bool = false
    ) async throws -> String {
        try await withServer(router, logger: logger, adoptsTraceparent: adoptsTraceparent) { port in
            let connection = try RawConnection(port: port)
            connection.send(request)
            return await connection.readToEnd()
        }
    }

    @Test func aHandlersAnswerIsSent() async throws {
        let text = try await answer(demoRouter(), Self.get("/healthz"))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("\r\n\r\nok\n"))
    }

    @Test(arguments: [false, true]) func aProblemThatAHandlerThrowsIsItsAnswer(isImmediate: Bool) async throws {
        var router = Router()
        let handler: Router.ImmediateHandler = { _, _ in
            throw Problem(.conflict, code: "busy", fields: ["Retry-After": "2"])
        }
        if isImmediate {
            router.onImmediate(.get, "/x", handler: handler)
        } else {
            router.on(.get, "/x", handler: handler)
        }
        let text = try await answer(router, Self.get("/x"))
        #expect(text.hasPrefix("HTTP/1.1 409 Conflict\r\n"))
        #expect(text.contains("Retry-After: 2\r\n") && text.contains("urn:orchard:problem:busy"))
    }

    @Test("an immediate handler's error is logged and not shown, and one that gives up closes the connection")
    func immediateHandlersThatFail() async throws {
        var router = Router()
        router.onImmediate(.get, "/x") { _, _ in throw Failure() }
        router.onImmediate(.get, "/gone") { _, _ in throw CancellationError() }
        let text = try await answer(router, Self.get("/x", "X-Request-Id: r-1"))
        #expect(text.hasPrefix("HTTP/1.1 500 ") && !text.contains("inner cause"))
        #expect(try await answer(router, Self.get("/gone")).isEmpty)
    }

    @Test("requests that come together are answered in their order, whether their handlers suspend or not")
    func pipelined() async throws {
        var router = Router()
        router.onImmediate(.get, "/now/{id}") { _, parameters in .text("now \(parameters["id"] ?? "")\n") }
        router.on(.get, "/later/{id}") { _, parameters in
            await Task.yield()
            return .text("later \(parameters["id"] ?? "")\n")
        }
        let targets = ["/now/1", "/now/2", "/later/3", "/now/4", "/later/5", "/later/6", "/now/7"]
        let requests = targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        let text = try await answer(router, requests + Self.get("/now/8"))
        let order = text.matches(of: /(?:now|later) \d/).map { String($0.output) }
        #expect(order == ["now 1", "now 2", "later 3", "now 4", "later 5", "later 6", "now 7", "now 8"])
    }

    @Test func anyOtherErrorIsLoggedAndNotShown() async throws {
        var router = Router()
        router.on(.get, "/x") { _, _ in throw Failure() }
        let log = LogRecorder()
        let text = try await answer(router, Self.get("/x", "X-Request-Id: r-1"), logger: log.logger)
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(!text.contains("inner cause") && text.contains("urn:orchard:request:r-1"))
        #expect(log.lines.contains { $0.level == .error && $0.message.contains("inner cause") })
    }

    @Test func anAnswerThatCouldSplitIsReplaced() async throws {
        var router = Router()
        router.on(.get, "/x") { _, _ in HTTPResponse(status: .ok, fields: ["X-A": "a\r\nSet-Cookie: b"]) }
        let text = try await answer(router, Self.get("/x"))
        #expect(text.hasPrefix("HTTP/1.1 500 ") && !text.contains("Set-Cookie"))
    }

    @Test func logLinesBearTheCallersTraceAndRequestID() async throws {
        let log = LogRecorder()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let text = try await answer(
            demoRouter(),
            Self.get("/healthz", "traceparent: 00-\(trace)-00f067aa0ba902b7-01", "X-Request-Id: shop-17"),
            logger: log.logger, adoptsTraceparent: true)
        #expect(text.contains("X-Request-Id: shop-17\r\n"))
        let line = try #require(log.lines.first { $0.message == "GET /healthz 200" })
        #expect(line.metadata["trace_id"] == trace)
        #expect(line.metadata["span_id"] != "00f067aa0ba902b7", "a request is a span of its own")
        #expect(line.metadata["request_id"] == "shop-17")
    }

    @Test func aStrangersTraceIsNotGoneOnWith() async throws {
        let log = LogRecorder()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        _ = try await answer(
            demoRouter(), Self.get("/healthz", "traceparent: 00-\(trace)-00f067aa0ba902b7-01"), logger: log.logger)
        let line = try #require(log.lines.first { $0.message == "GET /healthz 200" })
        #expect(line.metadata["trace_id"]?.count == 32)
        #expect(line.metadata["trace_id"] != trace)
    }

    @Test func requestsAreMeasuredByRouteAndNeverByPath() async throws {
        let metrics = MetricsRegistry()
        try await withServer(demoRouter(), metrics: metrics) { port in
            for target in ["/healthz", "/secret/4711"] {
                let connection = try RawConnection(port: port)
                connection.send(Self.get(target))
                _ = await connection.readToEnd()
            }
            let connection = try RawConnection(port: port)
            connection.send("nonsense\r\n\r\n")
            _ = await connection.readToEnd()
        }
        let text = metrics.expose()
        let name = "http_server_request_duration_seconds_count"
        let (known, unknown) = ("\"200\",http_route=\"/healthz\"", "\"404\",http_route=\"none\"")
        #expect(text.contains("\(name){http_request_method=\"GET\",http_response_status_code=\(known)} 1"))
        #expect(text.contains("\(name){http_request_method=\"_OTHER\",http_response_status_code=\(unknown)} 1"))
        #expect(text.contains("http_server_refused_requests_total{http_response_status_code=\"400\"} 1"))
        #expect(!text.contains("4711"))
    }

    @Test func bothAddressFamiliesAreServed() async throws {
        let server = HTTPServer(configuration: HTTPServerConfiguration(host: "::1", port: 0), router: demoRouter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try await server.boundPort
            #expect(port > 0)
            group.cancelAll()
        }
    }

    @Test func aPortThatIsTakenIsAnErrorForTheServiceAndForWhoAsksForThePort() async throws {
        try await withServer(demoRouter()) { port in
            let second = HTTPServer(
                configuration: HTTPServerConfiguration(host: "127.0.0.1", port: port), router: demoRouter())
            await #expect { try await second.run() } throws: { ($0 as? HTTPServerError)?.code == .listen }
            await #expect(throws: HTTPServerError.self) { try await second.boundPort }
        }
    }

    @Test func waitingForThePortEndsWithTheTask() async throws {
        let server = HTTPServer(configuration: HTTPServerConfiguration(port: 0), router: Router())
        let task = Task { try await server.boundPort }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aTooLargeBodyIsReadToItsEndSoThatThe413Arrives() async throws {
        let body = String(repeating: "x", count: 4 << 20)
        let request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let text = try await withServer(demoRouter()) { port in
            let connection = try RawConnection(port: port)
            let sending = Task { connection.send(request + body) }
            defer { sending.cancel() }
            return await connection.readToEnd()
        }
        #expect(text.hasPrefix("HTTP/1.1 413 "))
    }
}
