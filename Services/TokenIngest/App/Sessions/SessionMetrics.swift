import OrchardServiceKit

/// Metrics of the merchant sessions that pages ask for.
struct SessionMetrics: Sendable {
    /// How a request ended, as a label.
    enum Outcome: String, CaseIterable, Sendable {
        case given, unauthorised, malformed, origin, validationURL, identity, apple, merchantMissing, busy
    }

    private let outcomes: [Outcome: Counter]
    let inProgress: Gauge

    init(_ registry: MetricsRegistry) {
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                (
                    $0,
                    registry.counter(
                        "token_ingest_sessions", help: "Merchant sessions asked for, by outcome.",
                        labels: [("outcome", $0.rawValue)])
                )
            })
        inProgress = registry.gauge("token_ingest_sessions_in_progress", help: "Pages that wait for Apple's answer.")
    }

    func count(_ outcome: Outcome) { outcomes[outcome]?.increment() }
}
