import Charging
import Contracts

/// The log line of a capture, void or refund that has ended: ids, amount, times, outcome.
struct FollowUpLogEntry {
    let fact: FollowUpFact
    /// As the order's rows keep it now; nil when the order never took it.
    let operation: OperationMachine?
    /// When the fact was told.
    let time: Timestamp

    /// Whether it is an intermediate step, which gets no line at info.
    var isStep: Bool { fact.event.kind == .accepted }

    /// The values beside the line's words; those that it does not have are left out.
    var metadata: [String: String] {
        let (state, followUp) = (operation?.state, operation?.subject.followUp)
        let values: [(String, String?)] = [
            ("order_id", fact.order.description), ("payment_id", fact.payment.description),
            ("operation_id", fact.operation.description), ("merchant_id", fact.merchant.description),
            ("command_id", fact.cause.command?.description), ("target", fact.target?.rawValue),
            ("amount", fact.amount.description), ("reason", reason), ("account", followUp?.original.account),
            ("asked_for", fact.causedAt?.description), ("attempt", followUp.map { "\($0.attempt)" }),
            ("sent", state?.sentAt?.description), ("accepted", state?.acceptedAt?.description),
            ("asked", state?.queriedAt?.description), ("ended", time.description),
            ("sends", state.map { "\($0.sends)" }), ("queries", state.map { "\($0.queries)" }),
        ]
        return values.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The reason of the end, and the acquirer's code.
    private var reason: String? {
        switch fact.event {
        case .succeeded(let result, _, _): result.code
        case .failed(let reason, let result): result.map { "\(reason.rawValue), \($0.code)" } ?? reason.rawValue
        case .unknown(let reason), .conflicted(let reason): reason
        case .accepted, .resolved: nil
        }
    }
}
