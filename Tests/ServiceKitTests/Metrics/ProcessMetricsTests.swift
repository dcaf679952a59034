import Testing

@testable import OrchardServiceKit

@Suite("ProcessMetrics")
struct ProcessMetricsTests {
    @Test(
        "a service's registry has the metrics of the process",
        arguments: [
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
            "process_start_time_seconds",
        ])
    func process(name: String) throws {
        let text = MetricsRegistry(service: "token-ingest").expose()
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name) ") })
        #expect(try #require(Double(line.dropFirst(name.utf8.count + 1))) > 0)
    }

    @Test("CPU time grows and is a counter")
    func cpu() {
        let registry = MetricsRegistry(service: "token-ingest")
        #expect(registry.expose().contains("# TYPE process_cpu_seconds_total counter"))
        #expect(registry.expose().contains(#"build_info{service="token-ingest",version="\#(Build.version)"} 1"#))
    }
}
