import Contracts
import OrchardServiceKit

/// Payments whose command was acknowledged and whose outcome is not known yet.
final class InFlight: Sendable {
    private let payments = Locked<Set<PaymentID>>([])

    /// Payments whose device has not received an outcome.
    var current: Set<PaymentID> { payments.withLock { $0 } }
    var count: Int { current.count }

    func begin(_ payment: PaymentID) { payments.withLock { _ = $0.insert(payment) } }
    func end(_ payment: PaymentID) { payments.withLock { _ = $0.remove(payment) } }
}
