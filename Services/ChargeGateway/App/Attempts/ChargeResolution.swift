import Charging
import Contracts
import OrchardPostgres

/// Ends an operation by an operator's decision, through the same step as every other input.
struct ChargeResolution: Sendable {
    let transactions: OrderTransactions

    struct Answer: Hashable, Sendable {
        let isDone: Bool
        let text: String
    }

    /// - Parameter name: the payment's id for its charge, the operation's for what followed.
    func resolve(_ order: OrderID, _ name: String, _ resolution: Resolution) async throws -> Answer {
        let query = ChargeQuery(policy: transactions.policy)
        let charges = try await transactions.read { try await query.charges(of: order, on: $0) }
        guard let charge = charges.first(where: { $0.machine.isNamed(name) }) else {
            return Answer(isDone: false, text: "the gateway knows no charge of this order and payment")
        }
        let operation = charge.machine.subject.operation
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

extension OperationMachine {
    /// Whether a person means it by `name`.
    fileprivate func isNamed(_ name: String) -> Bool {
        switch subject {
        case .charge(let charge): charge.payment.description == name || charge.operation.description == name
        case .followUp(let followUp): followUp.operation.description == name
        }
    }
}
