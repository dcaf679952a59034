import OrchardServiceKit

/// Admits a limited number of payments at once. While Kafka hangs, the payments in progress wait and the others are
/// asked to come again.
final class Admission: Sendable {
    private let maximum: Int
    private let inProgress = Locked(0)
    private let gauge: Gauge

    init(maximum: Int, metrics: MetricsRegistry) {
        self.maximum = maximum
        gauge = metrics.gauge("token_ingest_payments_in_progress", help: "Payments that wait for their answer.")
    }

    /// Runs `body` if there is room.
    ///
    /// - Returns: nil when there is none.
    func admit<Result>(_ body: () async throws -> Result) async rethrows -> Result? {
        let isAdmitted = inProgress.withLock { inHand in
            guard inHand < maximum else { return false }
            inHand += 1
            return true
        }
        guard isAdmitted else { return nil }
        gauge.increment()
        defer {
            inProgress.withLock { $0 -= 1 }
            gauge.decrement()
        }
        return try await body()
    }
}
