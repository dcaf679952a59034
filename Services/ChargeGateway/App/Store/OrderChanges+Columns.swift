import Charging
import Contracts
import OrchardPostgres
import Outbox

/// The columns that are written.
extension OrderChanges {
    private static let orderKey: [RowColumn<Order>] = [
        RowColumn("partition") { $0.partition },
        RowColumn("order_id") { $0.machine.order },
    ]

    private static let orderState: [RowColumn<Order>] = [
        RowColumn("closed_reason") { $0.machine.closure?.reason.rawValue },
        RowColumn("closed_payment") { $0.machine.closure?.payment },
        RowColumn("closed_command") { $0.machine.closure?.command },
        RowColumn("expiry_command") { $0.machine.pendingExpiry },
        RowColumn("due_at") { $0.due?.time.postgres },
        RowColumn("due_step") { $0.due?.step.rawValue },
        RowColumn("due_acquirer") { $0.due?.reference?.acquirer },
        RowColumn("due_account") { $0.due?.reference?.account },
        RowColumn("has_follow_ups") { !$0.machine.followUps.isEmpty },
    ]

    static let orderInsertion = RowInsertion(into: "gateway.orders", orderKey + orderState)

    static let orderUpdate = RowUpdate(of: "gateway.orders", key: orderKey, changed: orderState)

    private static let operationKey: [RowColumn<Operation>] = [
        RowColumn("partition") { $0.partition },
        RowColumn("order_id") { $0.machine.subject.order },
        RowColumn("payment_id") { $0.machine.subject.payment },
    ]

    /// What never changes.
    private static let charge: [RowColumn<Operation>] = [
        RowColumn("number") { Int32($0.number) },
        RowColumn("merchant_id") { $0.machine.subject.merchant },
        RowColumn("revision") { $0.charge?.revision },
        RowColumn("amount") { $0.machine.subject.amount.minorUnits },
        RowColumn("currency") { $0.machine.subject.amount.currency.code },
        RowColumn("is_order_signed") { $0.charge?.isOrderSigned },
        RowColumn("card_network") { $0.charge?.card?.network.rawValue },
        RowColumn("card_last_four") { $0.charge?.card?.lastFour },
        RowColumn("card_data_type") { $0.charge?.card?.paymentData.rawValue },
        RowColumn("route_id") { $0.charge?.route?.id },
        RowColumn("route_digest") { $0.charge?.route?.digest },
        RowColumn("acquirer") { $0.machine.subject.reference?.acquirer },
        RowColumn("account") { $0.machine.subject.reference?.account },
        RowColumn("order_number") { $0.machine.subject.reference?.orderNumber },
        RowColumn("transaction_time") { $0.machine.subject.reference?.time.postgres },
        RowColumn("traceparent") { $0.traceparent },
        RowColumn("kind") { $0.machine.subject.kind.rawValue },
    ]

    private static let times: [RowColumn<Operation>] = [
        RowColumn("expires_at") { $0.charge?.expiresAt.postgres },
        RowColumn("signed_at") { $0.charge?.signedAt.postgres },
    ]

    private static let sealedCard: [RowColumn<Operation>] = [
        RowColumn("sealed_card") { $0.heldCard?.jwe },
        RowColumn("sealing_key") { $0.heldCard?.keyID },
        RowColumn("ticket_hash") { $0.heldCard?.ticketHash },
    ]

    /// What a step changes, of charges and of follow-ups.
    static let progress: [RowColumn<Operation>] = [
        RowColumn("phase") { $0.machine.state.phase.rawValue },
        RowColumn("transition") { $0.machine.state.transition },
        RowColumn("sends") { Int32($0.machine.state.sends) },
        RowColumn("unsent") { Int32($0.machine.state.unsent) },
        RowColumn("is_sending") { $0.machine.state.isSending },
        RowColumn("sent_at") { $0.machine.state.sentAt?.postgres },
        RowColumn("accepted_at") { $0.machine.state.acceptedAt?.postgres },
        RowColumn("open_since") { $0.machine.state.openSince?.postgres },
        RowColumn("is_unknown_told") { $0.machine.state.isUnknownPublished },
        RowColumn("queries") { Int32($0.machine.state.queries) },
        RowColumn("queried_at") { $0.machine.state.queriedAt?.postgres },
        RowColumn("is_known_there") { $0.machine.state.isKnownThere },
        RowColumn("is_recovered") { $0.machine.state.isRecovered },
        RowColumn("claims_paid") { $0.machine.state.claimsPaid },
        RowColumn("next_step") { $0.machine.state.next?.kind.rawValue },
        RowColumn("next_at") { $0.machine.state.next?.time.postgres },
        RowColumn("serial") { $0.machine.state.serial },
        RowColumn("absent_since") { $0.machine.state.absentSince?.postgres },
    ]

    private static let cardProgress = [RowColumn<Operation>("holds_card") { $0.machine.state.holdsCard }]

    static let operationInsertion = RowInsertion(
        into: "gateway.operations", operationKey + charge + times + sealedCard + progress + cardProgress)

    /// The card data go when the machine no longer holds them.
    static let operationUpdate = RowUpdate(
        of: "gateway.operations", key: operationKey, changed: progress + cardProgress,
        expressions: ["sealed_card", "sealing_key", "ticket_hash"].map { name in
            (name: name, value: "CASE WHEN new.holds_card THEN row.\(name) END")
        })

    static let adoption = RowUpdate(of: "gateway.operations", key: operationKey, changed: times + sealedCard)

    static let answerInsertion = RowInsertion<Answer>(
        into: "gateway.answered_commands",
        [
            RowColumn("partition") { $0.partition }, RowColumn("order_id") { $0.order },
            RowColumn("command_id") { $0.command },
        ])
}

extension OrderChanges.Operation {
    fileprivate var charge: Charge? { machine.subject.charge }
    fileprivate var heldCard: SealedCard? { machine.state.holdsCard ? card : nil }
}
