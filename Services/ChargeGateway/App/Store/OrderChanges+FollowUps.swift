import Charging
import Contracts
import OrchardPostgres
import Outbox

/// The columns of follow-ups that are written.
extension OrderChanges {
    private static let followUpKey: [RowColumn<Operation>] = [
        RowColumn("partition") { $0.partition },
        RowColumn("order_id") { $0.machine.subject.order },
        RowColumn("operation_id") { $0.machine.subject.operation },
    ]

    /// What never changes.
    private static let cause: [RowColumn<Operation>] = [
        RowColumn("number") { Int32($0.number) },
        RowColumn("payment_id") { $0.machine.subject.payment },
        RowColumn("merchant_id") { $0.machine.subject.merchant },
        RowColumn("kind") { $0.machine.subject.kind.rawValue },
        RowColumn("target") { $0.followUp?.target?.rawValue },
        RowColumn("command_id") { $0.followUp?.cause.command },
        RowColumn("caused_at") { $0.followUp?.causedAt.postgres },
        RowColumn("amount") { $0.machine.subject.amount.minorUnits },
        RowColumn("currency") { $0.machine.subject.amount.currency.code },
        RowColumn("parts") { $0.followUp?.parts.map { String(decoding: $0.json, as: UTF8.self) } },
        RowColumn("route_id") { $0.route?.id },
        RowColumn("route_digest") { $0.route?.digest },
        RowColumn("acquirer") { $0.followUp?.original.acquirer },
        RowColumn("account") { $0.followUp?.original.account },
        RowColumn("original_number") { $0.followUp?.original.orderNumber },
        RowColumn("original_time") { $0.followUp?.original.time.postgres },
        RowColumn("original_serial") { $0.followUp?.originalSerial },
        RowColumn("traceparent") { $0.traceparent },
    ]

    private static let attempt: [RowColumn<Operation>] = [
        RowColumn("attempt") { $0.followUp.map { Int32($0.attempt) } },
        RowColumn("order_number") { $0.machine.subject.reference?.orderNumber },
        RowColumn("transaction_time") { $0.machine.subject.reference?.time.postgres },
        RowColumn("last_suspect") { $0.machine.state.lastSuspect.map { Int32($0) } },
        RowColumn("is_query_only") { $0.machine.state.isQueryOnly },
    ]

    static let followUpInsertion = RowInsertion(
        into: "gateway.follow_ups", followUpKey + cause + attempt + progress)

    static let followUpUpdate = RowUpdate(of: "gateway.follow_ups", key: followUpKey, changed: attempt + progress)
}

extension OrderChanges.Operation {
    fileprivate var followUp: FollowUp? { machine.subject.followUp }
}
