import Contracts
import Ledger
import OrchardJSON

/// What became of the order's money, and what the shop asked for.
extension OrderView {
    /// Writes the amounts of the payment that pays the order; nothing while none does.
    func writeAmounts(to object: inout JSONObjectWriter) {
        guard let state, let amounts = state.paidBy.flatMap({ state.amounts(of: $0) }) else { return }
        object.object("amounts") { amounts.write(to: &$0) }
    }

    /// Writes captures, voids and refunds, with the acquirer's numbers for the shop.
    func writeFollowUps(to object: inout JSONObjectWriter) {
        guard let followUps = state?.followUps, !followUps.isEmpty else { return }
        object.array("followUps") { array in
            for followUp in followUps { array.object { followUp.write(to: &$0) } }
        }
    }

    func write(_ command: StoredCommand, to object: inout JSONObjectWriter) {
        let outcome = outcome(of: command.id)
        if let amount = command.amount { object.object("amount") { amount.write(to: &$0) } }
        if command.isClosing { object.member("cancelReason", command.reason) }
        object.member("commandId", command.id.description)
        object.member("paymentId", command.payment?.description)
        object.member("reason", outcome.reason)
        // The shop's own words, which are not for its customer.
        if !command.isClosing, isForShop { object.member("refundReason", command.reason) }
        object.member("status", outcome.word)
        object.member("type", command.type)
    }

    /// The outcome of a command.
    func outcome(of command: CommandID) -> CommandOutcome { state?.outcome(of: command) ?? .requested }
}
