import OrchardServiceKit

/// Admits a limited number of requests at once. While Kafka or Apple hangs, those in progress wait and the others are asked
/// to come again.
final class Admission: Sendable {
    private let maximum: Int
    private let inProgress = Locked(0)
    private let gauge: Gauge

    /// - Parameter gauge: shows how many are in progress.
    init(maximum: Int, gauge: Gauge) {
        self.maximum = maximum
        self.gauge = gauge
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
