import Contracts
import Ledger
import OrchardJSON

/// The outcome of a shop's command, as far as the fold knows.
enum CommandOutcome: Hashable, Sendable {
    /// The command is on its way to the gateway, or the answer is on its way back.
    case requested
    case done
    case rejected(reason: String)

    var word: String {
        switch self {
        case .requested: "requested"
        case .done: "done"
        case .rejected: "rejected"
        }
    }

    /// The answer to `POST /v1/orders/{id}/cancel`. It is the same for each repetition until the command has ended.
    /// Then it has the outcome of the command and the status of the order.
    func json(_ command: CommandID, of order: OrderID, _ status: OrderStatus) -> [UInt8] {
        JSONWriter.object { object in
            object.member("commandId", command.description)
            object.member("orderId", order.description)
            if self != .requested { object.member("orderStatus", status.rawValue) }
            if case .rejected(let reason) = self { object.member("reason", reason) }
            object.member("status", word)
        }
    }
}
