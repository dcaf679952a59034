import OrchardServiceKit

/// The merchants that tickets name and that this process's `merchants.json` lacks: its file is older than the others', and
/// what it cannot answer is its own fault, never the payment's.
///
/// Only a ticket that verified may name one, so nobody outside can make the process not ready.
public final class MissingMerchants: Sendable {
    private static let component = "merchants"
    private let path: String
    private let readiness: Readiness
    /// Seconds since 1970 up to which a ticket of the merchant is shown.
    private let missing = Locked<[String: Int64]>([:])

    public init(path: String, readiness: Readiness) {
        self.path = path
        self.readiness = readiness
    }

    /// Takes note of a merchant that a ticket named.
    ///
    /// - Parameter end: the ticket's end, in seconds since 1970.
    public func note(_ merchant: String, until end: Int64) {
        missing.withLock { $0[merchant] = max($0[merchant] ?? end, end) }
        readiness.set(
            Self.component, ready: false,
            reason: "a ticket names merchant \(merchant), which \(path) lacks; bring the same file to every host")
    }

    /// Forgets those that are there now, and those whose tickets are over.
    ///
    /// - Parameter isKnown: whether a merchant is in the file that is in force.
    public func look(at time: Int64, _ isKnown: (String) -> Bool) {
        let all = missing.withLock { $0 }
        guard !all.isEmpty else { return }
        let rest = all.filter { $0.value > time && !isKnown($0.key) }
        missing.withLock { $0 = rest }
        if rest.isEmpty { readiness.set(Self.component, ready: true, reason: "every ticket's merchant is known") }
    }
}
