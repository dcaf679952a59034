import Charging
import Contracts

/// A charge as `attempts list` and `attempts show` print it. No card data: network and last four digits.
struct ChargeReport {
    let machine: OperationMachine
    let now: Timestamp

    private var charge: Charge { machine.charge }
    private var state: OperationState { machine.state }

    /// One line: who, how much, where it stands, and whether a person may decide it.
    var line: String {
        let decision =
            machine.resolutionRefusal(at: now) == nil
            ? "may be resolved" : state.phase == .created ? "ends by itself" : "resolvable from \(machine.resolvableAt)"
        return "\(charge.order)  \(charge.payment)  \(state.phase.rawValue)  \(charge.amount)  "
            + "signed \(charge.signedAt)  \(state.queries) queries  \(decision)"
    }

    /// Everything that helps to decide, a line each.
    var lines: [String] {
        let rows: [(String, String?)] = [
            ("order", charge.order.description), ("payment", charge.payment.description),
            ("merchant", charge.merchant.description), ("amount", charge.amount.description),
            ("card", charge.card.map { "\($0.network.rawValue), last four \($0.lastFour)" }),
            ("phase", state.phase.rawValue), ("token signed", charge.signedAt.description),
            ("ticket expires", charge.expiresAt.description), ("route", charge.route?.id),
            ("acquirer", charge.reference.map { "\($0.acquirer), account \($0.account)" }),
            ("order number there", charge.reference?.orderNumber),
            ("time there", charge.reference?.time.description),
            ("sends", "\(state.sends), of which \(state.unsent) never left"),
            ("last send", state.sentAt?.description), ("queries", "\(state.queries)"),
            ("last query", state.queriedAt?.description),
            ("known there", state.isKnownThere ? "yes" : "not shown yet"),
            ("a notification says", state.claimsPaid.map { $0 ? "paid" : "declined" }),
            ("next", state.next.map { "\($0.kind.rawValue) at \($0.time)" }),
            ("resolve", machine.resolutionRefusal(at: now) ?? "may be resolved"),
        ]
        return rows.compactMap { name, value in
            value.map { name + String(repeating: " ", count: max(1, 21 - name.count)) + $0 }
        }
    }
}
