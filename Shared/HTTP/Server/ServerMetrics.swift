import OrchardHTTPTypes
import OrchardServiceKit

/// The server's instruments; names are OpenTelemetry's HTTP conventions.
final class ServerMetrics: Sendable {
    private struct Series {
        let method: HTTPMethod
        let status: HTTPStatus
        let durations: Histogram
    }

    /// Connections open now.
    let connections: Gauge
    /// How many connections there may be.
    let maximumConnections: Gauge
    /// Connections that were ended to make room.
    let evictions: Counter
    /// Connections that ended before client and server had agreed about TLS.
    let failedHandshakes: Counter
    /// Requests in the hands of their handlers.
    let activeRequests: Gauge
    private let registry: MetricsRegistry
    /// By the index of the route, the first for requests that no route has. A route has a few of each: to look through
    /// them is quicker than to hash.
    private let series = Locked<[[Series]]>([])

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        connections = registry.gauge("http_server_open_connections", help: "Connections open now.")
        maximumConnections = registry.gauge(
            "http_server_maximum_connections", help: "How many connections there may be.")
        evictions = registry.counter(
            "http_server_evicted_connections_total", help: "Idle connections ended to make room for others.")
        failedHandshakes = registry.counter(
            "http_server_failed_handshakes_total", help: "Connections that ended before TLS was agreed on.")
        activeRequests = registry.gauge("http_server_active_requests", help: "Requests being handled now.")
    }

    /// Records a request that was answered.
    ///
    /// - Parameter route: nil when there was none.
    func answered(_ method: HTTPMethod, route: RouteName?, status: HTTPStatus, in duration: Duration) {
        // A method or path that no route has comes from outside, and must not make labels.
        let method = route == nil ? .other : method
        let index = route.map { $0.index + 1 } ?? 0
        let histogram = series.withLock { series in
            while series.count <= index { series.append([]) }
            for known in series[index].indices
            where series[index][known].status == status && series[index][known].method == method {
                return series[index][known].durations
            }
            let new = registry.histogram(
                "http_server_request_duration_seconds", help: "From the whole request to its answer.",
                labels: [
                    ("http_request_method", method.rawValue), ("http_route", route?.template ?? "none"),
                    ("http_response_status_code", String(status.code)),
                ])
            series[index].append(Series(method: method, status: status, durations: new))
            return new
        }
        histogram.record(duration)
    }

    /// How long the run of equal failures of a route is; 0 while it is short.
    func failuresInARow(_ route: String) -> Gauge {
        registry.gauge(
            "http_server_failures_in_a_row", help: "Equal answers 401 or 5xx of a route in a row, from 20 on.",
            labels: [("http_route", route)])
    }

    /// Counts a request that was refused.
    func refused(_ refusal: InvalidRequest) {
        registry.counter(
            "http_server_refused_requests_total",
            help: "Requests refused before routing: malformed, too big or too slow.",
            labels: [("http_response_status_code", String(refusal.status.code))]
        ).increment()
    }
}

extension HTTPMethod {
    fileprivate static let other = Self(rawValue: "_OTHER")
}
