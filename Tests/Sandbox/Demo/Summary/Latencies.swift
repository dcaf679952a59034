/// Percentiles of durations.
struct Latencies: Sendable {
    private let sorted: [Duration]

    init(_ durations: [Duration]) { sorted = durations.sorted() }

    var count: Int { sorted.count }

    /// The smallest duration that `share` of all do not exceed (nearest rank); zero when there is none.
    func percentile(_ share: Double) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}

extension Duration {
    /// In seconds, for the summary.
    var text: String {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        let milliseconds = tenths / 10
        return tenths < 1_000
            ? "\(milliseconds).\(tenths % 10) ms"
            : milliseconds < 1_000
                ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
}
