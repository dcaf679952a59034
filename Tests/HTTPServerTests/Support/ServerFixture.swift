import Foundation
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// Runs a server on a free port of loopback while `body` runs.
func withServer<Result: Sendable>(
    _ router: Router, limits: HTTPServerLimits = HTTPServerLimits(), shutdown: GracefulShutdown = GracefulShutdown(),
    logger: Logger = Logger(label: "test"), metrics: MetricsRegistry = MetricsRegistry(),
    adoptsTraceparent: Bool = false, _ body: @Sendable (Int) async throws -> Result
) async throws -> Result {
    var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
    configuration.adoptsTraceparent = adoptsTraceparent
    let server = HTTPServer(configuration: configuration, router: router, logger: logger, metrics: metrics)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await server.run() } }
        let result = try await body(try await server.boundPort)
        shutdown.begin()
        try await group.waitForAll()
        return result
    }
}

/// `GET /healthz`, and `POST /echo` that gives the body back.
func demoRouter() -> Router {
    var router = Router()
    router.on(.get, "/healthz") { _, _ in .text("ok\n") }
    router.on(.post, "/echo") { request, _ in HTTPResponse(status: .ok, body: request.body) }
    return router
}
