import OrchardServiceKit

/// Metrics of the payments that arrive.
struct PaymentMetrics: Sendable {
    /// How an attempt ended, as a label.
    enum Outcome: String, CaseIterable, Sendable {
        case accepted, repeated, rejected, late, unauthorised, malformed, unacknowledged, unsealable, merchantMissing,
            busy
    }

    private let outcomes: [Outcome: Counter]
    private let registry: MetricsRegistry
    /// The time for verifying, decrypting and sealing, without Kafka.
    let decision: Histogram
    private let unpublished: Counter
    let inProgress: Gauge

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                (
                    $0,
                    registry.counter(
                        "token_ingest_payments", help: "Payments by outcome.", labels: [("outcome", $0.rawValue)])
                )
            })
        decision = registry.histogram(
            "token_ingest_decision_duration_seconds", help: "Verifying, decrypting and sealing one token.",
            buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 1])
        inProgress = registry.gauge("token_ingest_payments_in_progress", help: "Payments that wait for their answer.")
        unpublished = registry.counter(
            "token_ingest_rejections_not_published",
            help: "Rejections that were not published: beyond an order's limit, or Kafka took none.")
    }

    func count(_ outcome: Outcome) { outcomes[outcome]?.increment() }

    /// - Parameter stage: `parse`, `signature`, `amount` … as in the answer.
    func countRejection(stage: String) {
        registry.counter(
            "token_ingest_payments_rejected", help: "Rejected payments by stage.", labels: [("stage", stage)]
        )
        .increment()
    }

    func countUnpublishedRejection() { unpublished.increment() }
}
