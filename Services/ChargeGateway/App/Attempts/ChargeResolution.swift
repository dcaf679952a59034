import Charging
import Contracts
import OrchardPostgres

/// Ends a charge by an operator's decision, through the same step as every other input.
struct ChargeResolution: Sendable {
    let transactions: OrderTransactions

    struct Answer: Hashable, Sendable {
        let isDone: Bool
        let text: String
    }

    func resolve(_ order: OrderID, _ payment: PaymentID, _ resolution: Resolution) async throws -> Answer {
        let operation = OperationID(chargeOf: payment, order: order)
        let query = ChargeQuery(policy: transactions.policy)
        let charges = try await transactions.read { try await query.charges(of: order, on: $0) }
        guard let charge = charges.first(where: { $0.machine.charge.payment == payment }) else {
            return Answer(isDone: false, text: "the gateway knows no charge of this order and payment")
        }
        let result = try await transactions.step(order, in: charge.partition) { stored, time in
            if let refusal = stored.machine[operation]?.resolutionRefusal(at: time) {
                return ([], Answer(isDone: false, text: "not resolved: \(refusal)"))
            }
            let actions = stored.receive(.operation(operation, .resolved(resolution)), at: time)
            let alarms = actions.compactMap { action in
                if case .alarm(let alarm) = action { "; \(alarm.reason)" } else { nil }
            }
            return (
                actions, Answer(isDone: true, text: "resolved as \(resolution.outcome.rawValue)\(alarms.joined())")
            )
        }
        return result?.outcome ?? Answer(isDone: false, text: "the order's row is gone")
    }
}
