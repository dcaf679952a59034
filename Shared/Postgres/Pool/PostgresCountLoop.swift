import OrchardServiceKit

/// Counts rows for gauges now and then, and reports in `/readyz` when the gauges are old.
public struct PostgresCountLoop: Sendable {
    private let component: String
    private let interval: Duration
    private let readiness: Readiness

    /// - Parameter component: what is counted, as `/readyz` names it. It is there only once a count has failed.
    public init(_ component: String, every interval: Duration, readiness: Readiness) {
        self.component = component
        self.interval = interval
        self.readiness = readiness
    }

    /// Counts until the graceful shutdown.
    public func run(_ count: @escaping @Sendable () async throws -> Void) async {
        await repeatUntilGracefulShutdown(every: interval) {
            await countOnce(count)
        }
    }

    /// Counts once.
    public func countOnce(_ count: () async throws -> Void) async {
        do {
            try await count()
            guard readiness.report.components[component] != nil else { return }
            readiness.set(component, ready: true, reason: "counted again")
        } catch {
            guard !PostgresPool.shows(error) else { return }
            readiness.set(
                component, ready: false, reason: "cannot be counted, their metrics are old: \(error)")
        }
    }
}
