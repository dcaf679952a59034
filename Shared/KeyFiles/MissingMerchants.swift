import OrchardServiceKit

/// The merchants that tickets name and that are missing in this process's `merchants.json`. Its file is older than the
/// file of the other processes. An attempt that it cannot process then is its own fault, never the payment's.
///
/// Only a verified ticket may name a merchant, so no outsider can make the process not ready.
public final class MissingMerchants: Sendable {
    private static let component = "merchants"
    /// Merchants that `/readyz` names; the others are counted.
    private static let shown = 5

    private let path: String
    private let readiness: Readiness
    private let count: Gauge
    /// Seconds since 1970 up to which a merchant's ticket is valid.
    private let missing = Locked<[String: Int64]>([:])

    /// - Parameter prefix: of the metric `PREFIX_missing_merchants`.
    public init(path: String, prefix: String, metrics: MetricsRegistry, readiness: Readiness) {
        self.path = path
        self.readiness = readiness
        count = metrics.gauge(
            "\(prefix)_missing_merchants", help: "Merchants that tickets name and merchants.json lacks.")
    }

    /// Records a merchant that a ticket named.
    ///
    /// - Parameter end: the ticket's expiry, in seconds since 1970.
    public func record(_ merchant: String, until end: Int64) {
        let all = missing.withLock { missing in
            missing[merchant] = max(missing[merchant] ?? end, end)
            return missing
        }
        report(all)
    }

    /// Removes the merchants that the file has now, and those whose tickets have expired.
    ///
    /// - Parameter isKnown: whether a merchant is in the file in use.
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
