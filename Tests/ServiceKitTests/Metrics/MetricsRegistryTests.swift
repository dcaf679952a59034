import Testing

@testable import OrchardServiceKit

@Suite("MetricsRegistry")
struct MetricsRegistryTests {
    @Test("counts on beyond the largest number")
    func overflow() {
        let counter = MetricsRegistry().counter("minor_units", help: "")
        for _ in 1...3 { counter.increment(by: .max) }
        #expect(counter.value == .max &- 2)
    }

    @Test("writes Prometheus' text format 0.0.4, sorted and escaped")
    func exposition() {
        let registry = MetricsRegistry()
        registry.counter("payments", help: "Payments by outcome.", labels: [("outcome", "paid")]).increment(by: 3)
        registry.counter("payments_total", help: "", labels: [("outcome", "decl\"in\\ed\n")]).increment()
        registry.gauge("outbox_depth", help: "Rows not\nyet published.").set(2.5)
        registry.gauge("temperature", help: "Read now.", reading: { -1 })
        let histogram = registry.histogram(
            "http_seconds", help: "Duration.", buckets: [0.1, 1], labels: [("route", "/a"), ("method", "GET")])
        histogram.record(0.1)
        histogram.record(.milliseconds(400))
        histogram.record(7)
        #expect(
            registry.expose() == """
                # HELP http_seconds Duration.
                # TYPE http_seconds histogram
                http_seconds_bucket{method="GET",route="/a",le="0.1"} 1
                http_seconds_bucket{method="GET",route="/a",le="1"} 2
                http_seconds_bucket{method="GET",route="/a",le="+Inf"} 3
                http_seconds_sum{method="GET",route="/a"} 7.5
                http_seconds_count{method="GET",route="/a"} 3
                # HELP outbox_depth Rows not\\nyet published.
                # TYPE outbox_depth gauge
                outbox_depth 2.5
                # HELP payments_total Payments by outcome.
                # TYPE payments_total counter
                payments_total{outcome="decl\\"in\\\\ed\\n"} 1
                payments_total{outcome="paid"} 3
                # HELP temperature Read now.
                # TYPE temperature gauge
                temperature -1

                """)
    }

    @Test("the same name and labels give the same instrument, in any order of the labels")
    func identity() {
        let registry = MetricsRegistry()
        let first = registry.counter("a", help: "", labels: [("x", "1"), ("y", "2")])
        #expect(registry.counter("a", help: "", labels: [("y", "2"), ("x", "1")]) === first)
        #expect(registry.counter("a", help: "", labels: [("x", "1"), ("y", "3")]) !== first)
    }

    @Test("label sets beyond the cap share one")
    func cap() {
        let registry = MetricsRegistry()
        for number in 0..<(MetricsRegistry.maximumLabelSets + 10) {
            registry.counter("a", help: "", labels: [("path", String(number))]).increment()
        }
        let lines = registry.expose().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == MetricsRegistry.maximumLabelSets + 1)
        #expect(lines.contains("a_total{path=\"overflow\"} 10"))
        #expect(registry.counter("a", help: "", labels: [("path", "3")]).value == 1)
    }

    @Test("no count from many parallel tasks is lost")
    func concurrency() async {
        let registry = MetricsRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        registry.counter("a", help: "").increment()
                        registry.gauge("b", help: "").increment(by: 0.5)
                        registry.histogram("c", help: "").record(0.25)
                    }
                }
            }
        }
        #expect(registry.counter("a", help: "").value == 8_000)
        #expect(registry.gauge("b", help: "").value == 4_000)
        #expect(registry.histogram("c", help: "").count == 8_000)
        #expect(registry.histogram("c", help: "").sum == 2_000)
    }

    @Test("a name that Prometheus would refuse stops the program")
    func badName() async {
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("charges.total", help: "") }
    }
}
