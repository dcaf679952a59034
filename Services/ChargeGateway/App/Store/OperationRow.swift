import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// A charge's row: the machine, and columns that the machine does not need.
struct OperationRow: Sendable {
    var machine: OperationMachine
    /// The trace that its command came with.
    let traceparent: String?

    /// The columns that ``init(_:policy:)`` reads, and the row's partition. Never `*`: a column that a later migration
    /// adds would break the prepared statements of a running service.
    static let columns = """
        partition, order_id, payment_id, merchant_id, revision, amount, currency, expires_at, signed_at, is_order_signed,
        card_network, card_last_four, card_data_type, route_id, route_digest, acquirer, account, order_number, transaction_time, phase,
        transition, sends, unsent, is_sending, sent_at, accepted_at, open_since, is_unknown_told, queries, queried_at,
        is_known_there, is_recovered, holds_card, claims_paid, next_step, next_at, traceparent, kind, serial, absent_since
        """

    /// Reads a row of ``columns``.
    init(_ row: PostgresRow, policy: ChargingPolicy) throws {
        var state = try OperationState(row)
        state.holdsCard = try row.bool("holds_card")
        machine = OperationMachine(.charge(try Self.charge(row)), state: state, policy: policy)
        traceparent = try row.traceparent()
    }

    init(machine: OperationMachine, traceparent: String?) {
        self.machine = machine
        self.traceparent = traceparent
    }

    private static func charge(_ row: PostgresRow) throws -> Charge {
        let kind: OperationKind = try row.word("kind")
        guard kind == .sale || kind == .authorisation else {
            throw StoreError(.malformed, at: "kind", "a charge takes or holds the money")
        }
        return Charge(
            order: try row.identifier("order_id"), payment: try row.identifier("payment_id"),
            merchant: try row.identifier("merchant_id"), kind: kind,
            revision: try row.int64("revision"),
            amount: Money(minorUnits: try row.int64("amount"), currency: try row.currency("currency")),
            expiresAt: try row.time("expires_at"), signedAt: try row.time("signed_at"),
            isOrderSigned: try row.bool("is_order_signed"), card: try card(row), route: try route(row),
            reference: try reference(row))
    }

    private static func card(_ row: PostgresRow) throws -> CardSummary? {
        guard let network: CardNetwork = try row.optionalWord("card_network") else { return nil }
        return CardSummary(
            network: network, lastFour: try row.string("card_last_four"), paymentData: try row.word("card_data_type"))
    }

    private static func route(_ row: PostgresRow) throws -> RouteReference? {
        try row.optionalString("route_id").map { try row.routeReference($0) }
    }

    private static func reference(_ row: PostgresRow) throws -> AcquirerReference? {
        guard let acquirer = try row.optionalString("acquirer") else { return nil }
        return AcquirerReference(
            acquirer: acquirer, account: try row.string("account"), orderNumber: try row.string("order_number"),
            time: try row.time("transaction_time"))
    }
}

extension PostgresRow {
    /// The trace that the operation's command came with; nil also when the column holds none that can be one.
    func traceparent() throws -> String? {
        try optionalString("traceparent").flatMap { TraceContext(traceparent: $0) }?.traceparent
    }

    /// The route with an id, and with the digest in the column `route_digest`.
    func routeReference(_ id: String) throws -> RouteReference {
        guard let route = RouteReference(stored: id, digest: try bytes("route_digest")) else {
            throw StoreError(.malformed, at: "route_digest", "the columns hold no route")
        }
        return route
    }
}
