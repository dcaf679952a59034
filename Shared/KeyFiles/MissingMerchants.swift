import OrchardServiceKit

/// The merchants that tickets name and that this process's `merchants.json` lacks: its file is older than the others', and
/// what it cannot answer is its own fault, never the payment's.
///
/// Only a ticket that verified may name one, so nobody outside can make the process not ready.
public final class MissingMerchants: Sendable {
    private static let component = "merchants"
    /// Merchants that `/readyz` names; the others are counted.
    private static let shown = 5

    private let path: String
    private let readiness: Readiness
    private let count: Gauge
    /// Seconds since 1970 up to which a ticket of the merchant is shown.
    private let missing = Locked<[String: Int64]>([:])

    /// - Parameter prefix: of the metric `PREFIX_missing_merchants`.
    public init(path: String, prefix: String, metrics: MetricsRegistry, readiness: Readiness) {
        self.path = path
        self.readiness = readiness
        count = metrics.gauge(
            "\(prefix)_missing_merchants", help: "Merchants that tickets name and merchants.json lacks.")
    }

    /// Takes note of a merchant that a ticket named.
    ///
    /// - Parameter end: the ticket's end, in seconds since 1970.
    public func record(_ merchant: String, until end: Int64) {
        let all = missing.withLock { missing in
            missing[merchant] = max(missing[merchant] ?? end, end)
            return missing
        }
        report(all)
    }

    /// Forgets those that are there now, and those whose tickets are over.
    ///
    /// - Parameter isKnown: whether a merchant is in the file that is in force.
    public func update(at time: Int64, _ isKnown: (String) -> Bool) {
        let all = missing.withLock { $0 }
        guard !all.isEmpty else { return }
        let rest = all.filter { $0.value > time && !isKnown($0.key) }
        missing.withLock { $0 = rest }
        report(rest)
    }

    private func report(_ merchants: [String: Int64]) {
        count.set(Double(merchants.count))
        guard !merchants.isEmpty else {
            return readiness.set(Self.component, ready: true, reason: "every ticket's merchant is known")
        }
        let names = merchants.keys.sorted().prefix(Self.shown).joined(separator: ", ")
        let more = merchants.count > Self.shown ? " and \(merchants.count - Self.shown) more" : ""
        readiness.set(
            Self.component, ready: false,
            reason: "tickets name merchants that \(path) lacks: \(names)\(more); bring the same file to every host")
    }
}
