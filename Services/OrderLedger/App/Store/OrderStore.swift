import Contracts
import Ledger
import OrchardJSON
import OrchardPostgres
import Outbox

/// Reads and writes folded orders.
struct OrderStore {
    let partition: Int32
    init(partition: Int32) { self.partition = partition }

    static let orderColumns = """
        partition, order_id, merchant_id, currency, partitions, status, close_reason, closing_command, paid_payment,
        unallocated_payment, final_revision
        """
    static let offerColumns =
        "partition, order_id, revision, subtotal, discount, shipping, tax, total, shipping_method, lines_digest"
    static let refusalColumns = "partition, order_id, command_id, command_type, reason"

    /// The statements that read what ``orders(from:)`` needs. They can share a round trip with others.
    func loading(_ orders: [OrderID]) -> [PostgresStatement] {
        Self.loading(orders.map { OrderPlace(partition: partition, order: $0) })
    }

    /// The orders from the results of ``loading(_:)``, by id, including orders with only parked facts.
    func orders(from results: ArraySlice<PostgresResult>) throws -> [OrderState] {
        try Self.orders(from: results).map(\.state)
    }

    /// The statements that read what ``orders(from:)`` needs, of orders of several partitions.
    ///
    /// Each order has its own subquery (`OFFSET 0` keeps that so). With `= ANY` the server may read a whole partition
    /// and compare each row with all orders, while it has no statistics of new tables.
    ///
    /// - Parameter settled: the orders whose settlement facts to load; nil: all.
    static func loading(_ places: [OrderPlace], settled: [OrderPlace]? = nil) -> [PostgresStatement] {
        [
            """
            SELECT \(Self.orderColumns) FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT \(Self.orderColumns) FROM ledger.orders
                WHERE partition = wanted.place AND order_id = wanted.id OFFSET 0) AS o
            """,
            """
            SELECT \(Self.offerColumns) FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT \(Self.offerColumns) FROM ledger.order_offers
                WHERE partition = wanted.place AND order_id = wanted.id OFFSET 0) AS o ORDER BY revision
            """,
            """
            SELECT \(Self.paymentColumns) FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT \(Self.paymentColumns) FROM ledger.payments p
                WHERE p.partition = wanted.place AND p.order_id = wanted.id OFFSET 0) AS p ORDER BY p.payment_id
            """,
            """
            SELECT \(Self.followUpColumns) FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT \(Self.followUpColumns) FROM ledger.follow_ups f
                WHERE f.partition = wanted.place AND f.order_id = wanted.id OFFSET 0) AS f ORDER BY f.operation_id
            """,
            """
            SELECT \(Self.refusalColumns) FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT \(Self.refusalColumns) FROM ledger.refused_commands
                WHERE partition = wanted.place AND order_id = wanted.id OFFSET 0) AS c ORDER BY command_id
            """,
            """
            SELECT f.partition, f.order_id, f.place, \(ReadRecord.columns)
            FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT p.partition, p.order_id, p."offset" AS place, \(ReadRecord.columns) FROM ledger.parked_facts p
                    \(ReadRecord.joined(to: "p"))
                WHERE p.partition = wanted.place AND p.order_id = wanted.id OFFSET 0) AS f ORDER BY f.place
            """,
        ].map { PostgresStatement($0, [places.map(\.partition), places.map(\.order)]) }
            + [SettlementFacts.loading(settled ?? places)]
    }

    /// The orders from the results of ``loading(_:settled:)``, by place, including orders with only parked facts.
    static func orders(
        from results: ArraySlice<PostgresResult>
    ) throws -> [(place: OrderPlace, state: OrderState)] {
        precondition(results.count == 7, "one result for each statement")
        let tables = results.map(\.rows)
        var drafts: [OrderPlace: Draft] = [:]
        for row in tables[0] { drafts[try OrderPlace(row)] = Draft(order: row) }
        for row in tables[1] { drafts[try OrderPlace(row), default: Draft()].offers.append(row) }
        for row in tables[2] { drafts[try OrderPlace(row), default: Draft()].payments.append(row) }
        for row in tables[3] { drafts[try OrderPlace(row), default: Draft()].followUps.append(row) }
        for row in tables[4] { drafts[try OrderPlace(row), default: Draft()].refused.append(row) }
        for row in tables[5] { drafts[try OrderPlace(row), default: Draft()].parked.append(row) }
        for row in tables[6] { drafts[try OrderPlace(row), default: Draft()].settlements.append(row) }
        return try drafts.sorted { $0.key < $1.key }.map { place, draft in (place, try state(place, draft)) }
    }

    /// The rows of one order.
    private struct Draft {
        var order: PostgresRow?
        var offers: [PostgresRow] = []
        var payments: [PostgresRow] = []
        var followUps: [PostgresRow] = []
        var refused: [PostgresRow] = []
        var parked: [PostgresRow] = []
        var settlements: [PostgresRow] = []
    }

    private static func state(_ place: OrderPlace, _ draft: Draft) throws -> OrderState {
        let id = place.order
        let parked = try draft.parked.map { try event($0, in: place.partition) }
        let settlements = try draft.settlements.map { try SettlementFacts.event($0, in: place.partition) }
        guard let row = draft.order else {
            guard draft.offers.isEmpty, draft.payments.isEmpty, draft.followUps.isEmpty, draft.refused.isEmpty else {
                throw StoreError(.malformed, at: "orders", "the row of order \(id) is missing")
            }
            return OrderState(id: id, settlements: settlements, parked: parked)
        }
        let merchant: MerchantID = try row.identifier("merchant_id")
        let currency = try row.currency("currency")
        let partitions = try row.int32("partitions")
        let reason = try row.optionalWord("close_reason", as: OrderClosed.Reason.self)
        if reason == nil { try row.requireNull(["closing_command"]) }
        return OrderState(
            id: id,
            offers: try draft.offers.map { try offer(id, merchant, currency, partitions, $0) },
            payments: try draft.payments.map(payment),
            followUps: try draft.followUps.map(followUp),
            finalRevision: try row.optionalInt64("final_revision"),
            closing: try reason.map {
                OrderClosed(
                    order: id, merchant: merchant, reason: $0,
                    command: try row.optionalIdentifier("closing_command"))
            },
            paidBy: try row.optionalIdentifier("paid_payment"),
            unallocated: try row.optionalIdentifier("unallocated_payment"),
            refusedCommands: try draft.refused.map { row in
                CommandRejected(
                    order: id, merchant: merchant, command: try row.identifier("command_id"),
                    commandType: try row.string("command_type"), reason: try row.word("reason"))
            },
            settlements: settlements, parked: parked)
    }

    private static func offer(
        _ id: OrderID, _ merchant: MerchantID, _ currency: Currency, _ partitions: Int32, _ row: PostgresRow
    ) throws -> OfferFact {
        let totals = OfferTotals(
            currency: currency, subtotal: try row.int64("subtotal"), discount: try row.int64("discount"),
            shipping: try row.int64("shipping"), tax: try row.int64("tax"))
        guard let totals, totals.total == (try row.int64("total")), PostingRules.canPost(totals) else {
            throw StoreError(.malformed, at: "order_offers", "the parts of an offer of order \(id) do not add up")
        }
        return OfferFact(
            order: id, merchant: merchant, revision: try row.int64("revision"), totals: totals,
            shippingMethod: try row.optionalString("shipping_method"), linesDigest: try row.bytes("lines_digest"),
            partitions: partitions)
    }

    private static func event(_ row: PostgresRow, in partition: Int32) throws -> JournalEvent {
        guard try row.optionalInt64("offset") != nil else {
            throw StoreError(
                .malformed, at: "facts", "the parked record P\(partition)@\(try row.int64("place")) is missing")
        }
        return try ReadRecord(row, partition: partition).event()
    }
}

extension PostgresRow {
    /// Checks that texts which belong to another column are NULL like that column.
    func requireNull(_ columns: [String]) throws {
        for column in columns where try optionalString(column) != nil {
            throw StoreError(.malformed, at: column, "the column is set without the columns that it belongs to")
        }
    }
}
