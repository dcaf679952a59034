import Charging
import Contracts

/// An operation as `attempts list` and `attempts show` print it. No card data: network and last four digits.
struct ChargeReport {
    let machine: OperationMachine
    let now: Timestamp

    private var subject: Subject { machine.subject }
    private var charge: Charge? { subject.charge }
    private var followUp: FollowUp? { subject.followUp }
    private var state: OperationState { machine.state }

    /// One line: who, how much, where it stands, and whether a person may decide it.
    var line: String {
        let decision =
            machine.resolutionRefusal(at: now) == nil
            ? "may be resolved"
            : state.phase == .created && !machine.isAskingForUnsent
                ? "ends by itself" : "resolvable from \(machine.resolvableAt)"
        let (name, begun) =
            followUp.map { ("\($0.operation)  \($0.kind.rawValue)", "asked for \($0.causedAt)") }
            ?? (subject.payment.description, "signed \(subject.keyTime)")
        return "\(subject.order)  \(name)  \(state.phase.rawValue)  \(subject.amount)  \(begun)  "
            + "\(state.queries) queries  \(decision)"
    }

    /// Everything that helps to decide, a line each.
    var lines: [String] {
        let rows: [(String, String?)] = [
            ("order", subject.order.description), ("payment", subject.payment.description),
            ("operation", followUp?.operation.description),
            ("kind", subject.kind == .sale ? nil : subject.kind.rawValue), ("of", followUp?.target?.rawValue),
            ("command", followUp?.cause.command?.description), ("asked for", followUp?.causedAt.description),
            ("merchant", subject.merchant.description), ("amount", subject.amount.description),
            ("card", charge?.card.map { "\($0.network.rawValue), last four \($0.lastFour)" }),
            ("phase", state.phase.rawValue), ("token signed", charge?.signedAt.description),
            ("ticket expires", charge?.expiresAt.description), ("route", charge?.route?.id),
            ("original number there", followUp?.original.orderNumber),
            ("attempt", followUp.map { "\($0.attempt)" }),
            ("acquirer", subject.reference.map { "\($0.acquirer), account \($0.account)" }),
            ("order number there", subject.reference?.orderNumber),
            ("time there", subject.reference?.time.description),
            ("sends", "\(state.sends), of which \(state.unsent) never left"),
            ("last send", state.sentAt?.description), ("queries", "\(state.queries)"),
            ("last query", state.queriedAt?.description),
            ("known there", state.isKnownThere ? "yes" : "not shown yet"),
            ("a notification says", state.claimsPaid.map { $0 ? "paid" : "declined" }),
            ("next", state.next.map { "\($0.kind.rawValue) at \($0.time)" }),
            ("resolve", machine.resolutionRefusal(at: now) ?? "may be resolved"),
        ]
        let keys: [(String, String?)] =
            state.lastSuspect == nil
            ? [] : machine.possibleKeys.map { ("may also be there as", "\($0.orderNumber) of \($0.time)") }
        return (rows + keys).compactMap { name, value in
            value.map { name + String(repeating: " ", count: max(1, 21 - name.count)) + $0 }
        }
    }
}
