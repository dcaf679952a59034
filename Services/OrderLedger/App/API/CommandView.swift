import Contracts
import Ledger
import OrchardJSON

/// What a shop is shown of a command that it gave.
struct CommandView {
    let order: OrderID
    let id: CommandID
    /// nil when only the books have it, because a database was lost.
    let stored: StoredCommand?
    /// The order as the fold knows it; nil until it does.
    let state: OrderState?

    var outcome: CommandOutcome { state?.outcome(of: id) ?? .requested }

    private var operations: [FollowUpState] { state?.operations(of: id) ?? [] }

    /// Whether nothing at all is known of it.
    var isUnknown: Bool { stored == nil && outcome == .requested }

    /// The whole answer.
    var json: [UInt8] {
        JSONWriter.object { object in
            if let amount = stored?.amount { object.object("amount") { amount.write(to: &$0) } }
            if let stored, stored.isClosing { object.member("cancelReason", stored.reason) }
            object.member("commandId", id.description)
            object.member("final", outcome.isFinal)
            if !operations.isEmpty {
                object.array("operations") { array in
                    for operation in operations { array.object { operation.write(to: &$0) } }
                }
            }
            object.member("orderId", order.description)
            object.member("orderStatus", (state?.status ?? .open).rawValue)
            object.member("paymentId", (stored?.payment ?? operations.first?.payment)?.description)
            object.member("reason", outcome.reason)
            if let stored, !stored.isClosing { object.member("refundReason", stored.reason) }
            object.member("requestedAt", stored?.requestedAt.description)
            object.member("status", outcome.word)
            object.member("type", stored?.type)
        }
    }
}

extension CommandOutcome {
    /// The answer to `POST /v1/orders/{id}/cancel`. It is the same for each repetition until the command has ended.
    /// Then it has the outcome of the command and the status of the order.
    func json(_ command: CommandID, of order: OrderID, _ status: OrderStatus) -> [UInt8] {
        JSONWriter.object { object in
            object.member("commandId", command.description)
            object.member("orderId", order.description)
            if self != .requested { object.member("orderStatus", status.rawValue) }
            object.member("reason", reason)
            object.member("status", word)
        }
    }
}
