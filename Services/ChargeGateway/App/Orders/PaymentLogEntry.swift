import Charging
import Contracts

/// The log line of an ended payment: ids, amount, times, outcome. No card data.
struct PaymentLogEntry {
    let fact: PaymentFact
    /// As the order's rows keep it now; nil when the order never took it.
    let operation: OperationMachine?
    /// When the fact was told.
    let time: Timestamp

    /// The values beside the line's words; those that the payment does not have are left out.
    var metadata: [String: String] {
        let state = operation?.state
        let values: [(String, String?)] = [
            ("order_id", fact.order.description), ("payment_id", fact.payment.description),
            ("merchant_id", fact.merchant.description), ("amount", fact.amount.description), ("reason", reason),
            ("account", operation?.subject.reference?.account), ("signed", operation?.subject.keyTime.description),
            ("sent", state?.sentAt?.description), ("accepted", state?.acceptedAt?.description),
            ("asked", state?.queriedAt?.description), ("ended", time.description),
            ("sends", state.map { "\($0.sends)" }), ("queries", state.map { "\($0.queries)" }),
        ]
        return values.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The reason of the end, and the acquirer's code.
    private var reason: String? {
        switch fact.event {
        case .succeeded(let result, _, _), .authorised(let result, _, _, _), .lateSuccess(let result),
            .lateAuthorised(let result):
            result.code
        case .declined(let reason, let result): result.map { "\(reason.rawValue), \($0.code)" } ?? reason.rawValue
        case .refused(let reason): reason.rawValue
        case .unknown(let reason), .notCharged(let reason), .conflicted(let reason): reason
        case .accepted, .authorisationExpired, .resolved: nil
        }
    }
}

extension PaymentEvent {
    /// Whether it is an intermediate step, which gets no line at info.
    var isStep: Bool {
        switch self {
        case .accepted: true
        case .refused, .authorised, .authorisationExpired, .succeeded, .declined, .unknown, .notCharged, .conflicted,
            .lateSuccess,
            .lateAuthorised, .resolved:
            false
        }
    }
}
