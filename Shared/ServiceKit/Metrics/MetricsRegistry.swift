/// The metrics of this process, shown at `/metrics`.
///
/// Names are OpenTelemetry's with underscores for dots; units are seconds and bytes. The same name and labels give the
/// same instrument. A name has at most ``maximumLabelSets`` label sets: later ones share one whose label values are all
/// `overflow`, so that outside input can never fill the memory.
public final class MetricsRegistry: Sendable {
    /// How many label sets one name may have.
    public static let maximumLabelSets = 500

    private let families = Locked<[String: MetricFamily]>([:])

    public init() {}

    /// The registry of a service: with `process_*` and `build_info`.
    ///
    /// - Parameter service: the program's name.
    public convenience init(service: String) {
        self.init()
        ProcessMetrics.register(in: self, service: service)
    }

    /// A counter; its name ends in `_total` (added where it is missing).
    public func counter(_ name: String, help: String, labels: [(String, String)] = []) -> Counter {
        let name = name.hasSuffix("_total") ? name : name + "_total"
        let instrument = instrument(name, .counter, help, labels) { .counter(Counter()) }
        guard case .counter(let counter) = instrument else { return Counter() }
        return counter
    }

    /// A counter that is kept elsewhere and read at each exposition. `read` must not block and its value never falls.
    public func counter(_ name: String, help: String, reading read: @escaping @Sendable () -> Double) {
        let name = name.hasSuffix("_total") ? name : name + "_total"
        _ = instrument(name, .counter, help, []) { .reading(read) }
    }

    /// A gauge that is set.
    public func gauge(_ name: String, help: String, labels: [(String, String)] = []) -> Gauge {
        guard case .gauge(let gauge) = instrument(name, .gauge, help, labels, { .gauge(Gauge()) }) else {
            return Gauge()
        }
        return gauge
    }

    /// A gauge that is read at each exposition; `read` must not block.
    public func gauge(
        _ name: String, help: String, labels: [(String, String)] = [], reading read: @escaping @Sendable () -> Double
    ) {
        _ = instrument(name, .gauge, help, labels) { .reading(read) }
    }

    /// A histogram of durations in seconds, or of other sizes with its own buckets.
    public func histogram(
        _ name: String, help: String, buckets: [Double] = Histogram.latencyBuckets, labels: [(String, String)] = []
    ) -> Histogram {
        let instrument = instrument(name, .histogram, help, labels) { .histogram(Histogram(bounds: buckets)) }
        guard case .histogram(let histogram) = instrument else { return Histogram(bounds: buckets) }
        return histogram
    }

    /// Everything in Prometheus' text format 0.0.4 (`text/plain; version=0.0.4`), sorted by name.
    public func expose() -> String {
        let all = families.withLock { $0 }
        var text = ""
        for family in all.values.sorted(by: { $0.name < $1.name }) { family.write(to: &text) }
        return text
    }

    private func instrument(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ labels: [(String, String)],
        _ make: () -> MetricFamily.Instrument
    ) -> MetricFamily.Instrument {
        var key = MetricFamily.render(labels)
        return families.withLock { families in
            if let family = families[name], family.kind == kind, let known = family[key] { return known }
            precondition(Self.isName(name), "not a metric's name: \(name)")
            precondition(labels.allSatisfy { Self.isName($0.0) }, "not a label's name in \(name)")
            var family = families[name] ?? MetricFamily(name: name, kind: kind, help: help)
            precondition(family.kind == kind, "\(name) is a \(family.kind.rawValue)")
            if family[key] == nil, family.instruments.count >= Self.maximumLabelSets {
                key = MetricFamily.render(labels.map { ($0.0, "overflow") })
            }
            if let known = family[key] { return known }
            let new = make()
            family[key] = new
            families[name] = family
            return new
        }
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
