import Contracts
import Ledger
import OrchardJSON

/// What came of a shop's command, as far as the fold knows.
enum CommandOutcome: Hashable, Sendable {
    /// On its way to the gateway, or its answer on the way back.
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

    /// The answer to `POST /v1/orders/{id}/cancel`: the same for each repetition until the command has ended; then what
    /// came of it, and of the order.
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
