import Foundation
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// Runs a server on a free port of loopback while `body` runs.
func withServer<Result: Sendable>(
    _ router: Router, loops: Int = 2, limits: HTTPServerLimits = HTTPServerLimits(),
    shutdown: GracefulShutdown = GracefulShutdown(),
    logger: Logger = Logger(label: "test"), metrics: MetricsRegistry = MetricsRegistry(),
    adoptsTraceparent: Bool = false, tls: CheckedFile<TLSContext>? = nil, _ body: @Sendable (Int) async throws -> Result
) async throws -> Result {
    var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
    configuration.eventLoops = loops
    configuration.adoptsTraceparent = adoptsTraceparent
    configuration.tls = tls
    let server = HTTPServer(configuration: configuration, router: router, logger: logger, metrics: metrics)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await server.run() } }
        let result = try await body(try await server.boundPort)
        shutdown.begin()
        try await group.waitForAll()
        return result
    }
}

/// `GET /healthz`, and `POST /echo` that gives the body back, by handlers that run in tasks or are called at once.
func demoRouter(isImmediate: Bool = false) -> Router {
    var router = Router()
    let healthz: Router.ImmediateHandler = { _, _ in .text("ok\n") }
    let bodyHandler: Router.ImmediateHandler = { request, _ in HTTPResponse(status: .ok, body: request.body) }
    if isImmediate {
        router.onImmediate(.get, "/healthz", handler: healthz)
        router.onImmediate(.post, "/echo", handler: bodyHandler)
    } else {
        router.on(.get, "/healthz", handler: healthz)
        router.on(.post, "/echo", handler: bodyHandler)
    }
    return router
}
