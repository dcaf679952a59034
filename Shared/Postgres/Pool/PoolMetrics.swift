import OrchardServiceKit

/// A pool's instruments, named as OpenTelemetry names them.
struct PoolMetrics {
    let waited: Histogram
    private let idle: Gauge
    private let used: Gauge
    private let pending: Gauge

    init(_ registry: MetricsRegistry) {
        let help = "Connections to the database by state."
        idle = registry.gauge("db_client_connection_count", help: help, labels: [("state", "idle")])
        used = registry.gauge("db_client_connection_count", help: help, labels: [("state", "used")])
        pending = registry.gauge(
            "db_client_connection_pending_requests", help: "Callers that wait for a connection to the database.")
        waited = registry.histogram(
            "db_client_connection_wait_time_seconds", help: "How long callers waited for a connection to the database.")
    }

    func count(_ machine: PoolMachine) {
        idle.set(Double(machine.idle.count))
        used.set(Double(machine.leased.count))
        pending.set(Double(machine.waiting))
    }
}
