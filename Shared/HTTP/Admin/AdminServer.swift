import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// The operators' port, apart from public traffic: `/healthz`, `/readyz` and `/metrics`.
///
/// List it first in the ``ServiceKit/ServiceGroup``, so that it is stopped last and can still answer "not ready".
public struct AdminServer: Service {
    private let server: HTTPServer

    public init(
        configuration: HTTPServerConfiguration, readiness: Readiness, metrics: MetricsRegistry,
        logger: Logger = Logger(label: "admin")
    ) {
        // Probes come every few seconds: their requests are logged at debug only, and not measured.
        var logger = logger
        if logger.level == .info { logger.level = .notice }
        var configuration = configuration
        configuration.eventLoops = 1  // few ask, and seldom
        if let tls = configuration.tls { metrics.showEnd(of: tls, port: "admin") }
        server = HTTPServer(
            configuration: configuration, router: Self.router(readiness, metrics), logger: logger)
    }

    /// The routes of the port.
    package static func router(_ readiness: Readiness, _ metrics: MetricsRegistry) -> Router {
        var router = Router()
        router.addHealth()
        router.onImmediate(.get, "/readyz") { _, _ in answer(readiness.report) }
        router.on(.get, "/metrics") { _, _ in
            show(readiness.report, in: metrics)
            return HTTPResponse(
                status: .ok, fields: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                body: Array(metrics.expose().utf8))
        }
        return router
    }

    /// The port it listens on, as soon as it does.
    public var boundPort: Int {
        get async throws { try await server.boundPort }
    }

    public func run() async throws { try await server.run() }

    /// What `/readyz` says, for Prometheus: an alert can name the part that does not work.
    private static func show(_ report: ReadinessReport, in metrics: MetricsRegistry) {
        for (name, component) in report.components {
            metrics.gauge(
                "orchard_component_ready", help: "1 while a part of the service can work, as in /readyz.",
                labels: [("component", name)]
            ).set(component.isReady ? 1 : 0)
            metrics.gauge(
                "orchard_component_warns", help: "1 while a part of the service warns in /readyz and still works.",
                labels: [("component", name)]
            ).set(component.isWarning ? 1 : 0)
        }
    }

    /// 200 or 503, with a line a component.
    private static func answer(_ report: ReadinessReport) -> HTTPResponse {
        let lines = report.components.sorted { $0.key < $1.key }.map { name, component in
            "\(component.isReady ? "ready" : "NOT READY")\t\(name)\t\(component.reason)\n"
        }
        let head = report.isReady ? "ready\n" : "not ready\n"
        return .text(head + lines.joined(), status: report.isReady ? .ok : .serviceUnavailable)
    }
}
