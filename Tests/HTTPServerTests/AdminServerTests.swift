import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardServiceKit
import Testing

@Suite struct AdminServerTests {
    private func get(_ target: String, _ readiness: Readiness, _ metrics: MetricsRegistry) async throws -> String {
        let server = AdminServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), readiness: readiness, metrics: metrics)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let connection = try RawConnection(port: try await server.boundPort)
            connection.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = await connection.readToEnd()
            group.cancelAll()
            return text
        }
    }

    @Test func healthzSaysThatTheProcessLives() async throws {
        let readiness = Readiness()
        readiness.set("kafka", ready: false, reason: "no broker")
        #expect(try await get("/healthz", readiness, MetricsRegistry()).hasPrefix("HTTP/1.1 200 "))
    }

    @Test func readyzIs503WithTheReasonUntilEveryPartIsReady() async throws {
        let readiness = Readiness()
        readiness.set("kafka", ready: false, reason: "no broker answers")
        readiness.set("postgres", ready: true, reason: "connected")
        let before = try await get("/readyz", readiness, MetricsRegistry())
        #expect(before.hasPrefix("HTTP/1.1 503 ") && before.contains("NOT READY\tkafka\tno broker answers\n"))
        readiness.set("kafka", ready: true, reason: "connected")
        let after = try await get("/readyz", readiness, MetricsRegistry())
        #expect(after.hasPrefix("HTTP/1.1 200 ") && after.contains("ready\tpostgres\tconnected\n"))
    }

    @Test func metricsAreInPrometheusText() async throws {
        let metrics = MetricsRegistry()
        metrics.counter("charges_total", help: "Charges.").increment(by: 3)
        let text = try await get("/metrics", Readiness(), metrics)
        #expect(text.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(text.contains("charges_total 3\n"))
    }

    @Test func metricsSayWhichPartIsNotReady() async throws {
        let (readiness, metrics) = (Readiness(), MetricsRegistry())
        readiness.set("kafka", ready: false, reason: "no broker answers")
        readiness.set("postgres", ready: true, reason: "connected")
        let before = try await get("/metrics", readiness, metrics)
        #expect(before.contains("orchard_component_ready{component=\"kafka\"} 0\n"))
        #expect(before.contains("orchard_component_ready{component=\"postgres\"} 1\n"))
        readiness.set("kafka", ready: true, reason: "connected")
        let after = try await get("/metrics", readiness, metrics)
        #expect(after.contains("orchard_component_ready{component=\"kafka\"} 1\n"))
    }

    @Test func aPartThatWarnsIsReadyAndHasAMetric() async throws {
        let (readiness, metrics) = (Readiness(), MetricsRegistry())
        readiness.warn("files", reason: "merchants.json is refused")
        let before = try await get("/metrics", readiness, metrics)
        #expect(before.contains("orchard_component_ready{component=\"files\"} 1\n"))
        #expect(before.contains("orchard_component_warns{component=\"files\"} 1\n"))
        let ready = try await get("/readyz", readiness, metrics)
        #expect(ready.contains("200 OK") && ready.contains("ready\tfiles\tWARNING: merchants.json is refused\n"))
        readiness.set("files", ready: true, reason: "all are in force as they are now")
        let after = try await get("/metrics", readiness, metrics)
        #expect(after.contains("orchard_component_warns{component=\"files\"} 0\n"))
    }
}
