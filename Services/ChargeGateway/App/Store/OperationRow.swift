import Charging
import Contracts
import OrchardPostgres
import Outbox

/// An operation as its row keeps it: the machine, and what belongs to it without concerning the machine.
struct OperationRow: Sendable {
    var machine: OperationMachine
    /// The trace that its command came with.
    let traceparent: String?

    init(machine: OperationMachine, traceparent: String?) {
        self.machine = machine
        self.traceparent = traceparent
    }

    /// The columns that ``init(_:policy:)`` reads, and the row's partition. Never `*`: a column that a later migration
    /// adds would break the prepared statements of a running service.
    static let columns = """
        partition, order_id, payment_id, merchant_id, revision, amount, currency, expires_at, signed_at, card_network,
        card_last_four, card_data_type, route_id, route_digest, acquirer, account, order_number, transaction_time, phase,
        transition, sends, unsent, is_sending, sent_at, open_since, is_unknown_told, queries, queried_at, is_known_there,
        is_recovered, holds_card, claims_paid, next_step, next_at, traceparent
        """

    /// Reads a row of ``columns``.
    init(_ row: PostgresRow, policy: ChargingPolicy) throws {
        var state = OperationState(phase: try row.word("phase"))
        state.transition = try row.int64("transition")
        state.sends = Int(try row.int32("sends"))
        state.unsent = Int(try row.int32("unsent"))
        state.isSending = try row.bool("is_sending")
        state.sentAt = try row.optionalTime("sent_at")
        state.openSince = try row.optionalTime("open_since")
        state.isUnknownTold = try row.bool("is_unknown_told")
        state.queries = Int(try row.int32("queries"))
        state.queriedAt = try row.optionalTime("queried_at")
        state.isKnownThere = try row.bool("is_known_there")
        state.isRecovered = try row.bool("is_recovered")
        state.holdsCard = try row.bool("holds_card")
        state.claimsPaid = try row.optionalBool("claims_paid")
        if let step: NextStep.Kind = try row.optionalWord("next_step") {
            state.next = NextStep(step, at: try row.time("next_at"))
        }
        machine = OperationMachine(charge: try Self.charge(row), state: state, policy: policy)
        traceparent = try row.optionalString("traceparent")
    }

    private static func charge(_ row: PostgresRow) throws -> Charge {
        Charge(
            order: try row.identifier("order_id"), payment: try row.identifier("payment_id"),
            merchant: try row.identifier("merchant_id"), revision: try row.int64("revision"),
            amount: Money(minorUnits: try row.int64("amount"), currency: try row.currency("currency")),
            expiresAt: try row.time("expires_at"), signedAt: try row.time("signed_at"), card: try card(row),
            route: try route(row), reference: try reference(row))
    }

    private static func card(_ row: PostgresRow) throws -> CardSummary? {
        guard let network: CardNetwork = try row.optionalWord("card_network") else { return nil }
        return CardSummary(
            network: network, lastFour: try row.string("card_last_four"), paymentData: try row.word("card_data_type"))
    }

    private static func route(_ row: PostgresRow) throws -> RouteReference? {
        guard let id = try row.optionalString("route_id") else { return nil }
        return RouteReference(id: id, digest: try row.bytes("route_digest"))
    }

    private static func reference(_ row: PostgresRow) throws -> AcquirerReference? {
        guard let acquirer = try row.optionalString("acquirer") else { return nil }
        return AcquirerReference(
            acquirer: acquirer, account: try row.string("account"), orderNumber: try row.string("order_number"),
            time: try row.time("transaction_time"))
    }

    /// The columns of a new row, in the order of ``OrderStore``'s INSERT.
    func insertion(_ partition: Int32, number: Int, _ card: SealedCard?) -> Write {
        let charge = machine.charge
        let kept = machine.state.holdsCard ? card : nil
        return Write(
            """
            INSERT INTO gateway.operations (partition, order_id, payment_id, number, merchant_id, revision, amount,
                currency, expires_at, signed_at, card_network, card_last_four, card_data_type, route_id,
                route_digest, acquirer, account,
                order_number, transaction_time, sealed_card, sealing_key, ticket_hash, traceparent, phase, transition,
                sends, unsent, is_sending, sent_at, open_since, is_unknown_told, queries, queried_at, is_known_there,
                holds_card, claims_paid, next_step, next_at, is_recovered)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39)
            """,
            [
                partition, charge.order.description, charge.payment.description, Int32(number),
                charge.merchant.description, charge.revision, charge.amount.minorUnits, charge.amount.currency.code,
                charge.expiresAt.postgres, charge.signedAt.postgres, charge.card?.network.rawValue,
                charge.card?.lastFour, charge.card?.paymentData.rawValue, charge.route?.id,
                charge.route?.digest, charge.reference?.acquirer,
                charge.reference?.account, charge.reference?.orderNumber, charge.reference?.time.postgres, kept?.jwe,
                kept?.keyID, kept?.ticketHash, traceparent,
            ] + progress)
    }

    /// What a step changes. The card data go when the machine no longer holds them.
    func update(_ partition: Int32) -> Write {
        Write(
            """
            UPDATE gateway.operations SET phase = $4, transition = $5, sends = $6, unsent = $7, is_sending = $8,
                sent_at = $9, open_since = $10, is_unknown_told = $11, queries = $12, queried_at = $13,
                is_known_there = $14, holds_card = $15, claims_paid = $16, next_step = $17, next_at = $18,
                is_recovered = $19,
                sealed_card = CASE WHEN $15 THEN sealed_card END, sealing_key = CASE WHEN $15 THEN sealing_key END,
                ticket_hash = CASE WHEN $15 THEN ticket_hash END
            WHERE partition = $1 AND order_id = $2 AND payment_id = $3
            """,
            [partition, machine.charge.order.description, machine.charge.payment.description] + progress)
    }

    /// The card data of a command that was read again, for an operation that the journal gave back without them.
    func adoption(_ partition: Int32, _ card: SealedCard) -> Write {
        let charge = machine.charge
        return Write(
            """
            UPDATE gateway.operations SET expires_at = $4, signed_at = $5, sealed_card = $6, sealing_key = $7,
                ticket_hash = $8
            WHERE partition = $1 AND order_id = $2 AND payment_id = $3
            """,
            [
                partition, charge.order.description, charge.payment.description, charge.expiresAt.postgres,
                charge.signedAt.postgres, card.jwe, card.keyID, card.ticketHash,
            ])
    }

    private var progress: [any PostgresEncodable] {
        let state = machine.state
        return [
            state.phase.rawValue, state.transition, Int32(state.sends), Int32(state.unsent), state.isSending,
            state.sentAt?.postgres, state.openSince?.postgres, state.isUnknownTold, Int32(state.queries),
            state.queriedAt?.postgres, state.isKnownThere,
            state.holdsCard, state.claimsPaid, state.next?.kind.rawValue, state.next?.time.postgres, state.isRecovered,
        ]
    }
}
