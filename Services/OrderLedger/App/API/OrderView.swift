import Contracts
import Ledger
import OrchardJSON

/// What `GET /v1/orders/{id}` shows: the offer in force, and what became of it.
struct OrderView {
    /// A command that a shop gave.
    struct Command: Hashable, Sendable {
        let id: CommandID
        let type: String
    }

    let order: OfferedOrder
    /// What the fold knows; nil until the order's opening has come back through the journal.
    let state: OrderState?
    let commands: [Command]
    /// Attempts that token-ingest turned away.
    let rejectedAttempts: Int64

    /// The whole answer.
    var json: [UInt8] {
        get throws {
            // The paid offer is the order; before that it is the newest.
            let paid = state?.paidBy == nil ? nil : state?.offer
            let totals = try paid?.totals ?? order.offer().totals
            return JSONWriter.object { object in
                object.array("commands") { array in
                    for command in commands { array.object { write(command, to: &$0) } }
                }
                object.member("merchantId", order.merchant.description)
                object.member("orderId", order.id.description)
                object.array("payments") { array in
                    for payment in state?.payments ?? [] { array.object { write(payment, to: &$0) } }
                }
                object.member("reference", order.request.reference)
                object.member("rejectedAttempts", rejectedAttempts)
                object.member("revision", paid?.revision ?? order.revision)
                object.member("shippingMethod", paid == nil ? order.shippingMethod : paid?.shippingMethod)
                object.member("status", order.status.rawValue)
                object.object("totals") { totals.write(to: &$0) }
            }
        }
    }

    private func write(_ command: Command, to object: inout JSONObjectWriter) {
        let outcome = outcome(of: command.id)
        object.member("commandId", command.id.description)
        if case .rejected(let reason) = outcome { object.member("reason", reason) }
        object.member("status", outcome.word)
        object.member("type", command.type)
    }

    /// What came of a command.
    func outcome(of command: CommandID) -> CommandOutcome {
        if let refused = state?.refusedCommands.first(where: { $0.command == command }) {
            return .rejected(reason: refused.reason.rawValue)
        }
        return state?.closing?.command == command ? .done : .requested
    }

    private func write(_ payment: PaymentState, to object: inout JSONObjectWriter) {
        object.object("amount") { payment.amount.write(to: &$0) }
        if let card = payment.card {
            object.object("card") { object in
                object.member("lastFour", card.lastFour)
                object.member("network", card.network.rawValue)
            }
        }
        object.member("paymentId", payment.payment.description)
        object.member("reason", payment.reason)
        object.member("revision", payment.revision)
        // Not `succeeded`: a shop that reads that delivers.
        let needsReview = payment.needsReview(paidBy: state?.paidBy)
        object.member("status", needsReview ? "review" : payment.status.rawValue)
    }
}
