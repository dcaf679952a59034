import Contracts
import Ledger
import OrchardJSON
import OrchardPostgres
import Outbox

/// Reads and writes folded orders.
struct OrderStore {
    let partition: Int32
    private var settlement: SettlementFacts { SettlementFacts(partition: partition) }

    init(partition: Int32) { self.partition = partition }

    static let orderColumns = """
        order_id, merchant_id, currency, partitions, status, close_reason, closing_command, paid_payment,
        unallocated_payment, final_revision
        """
    static let offerColumns =
        "order_id, revision, subtotal, discount, shipping, tax, total, shipping_method, lines_digest"
    static let refusalColumns = "order_id, command_id, command_type, reason"

    /// The statements that read what ``orders(from:)`` needs. They can share a round trip with others.
    ///
    /// Each order has its own subquery (`OFFSET 0` keeps that so). With `= ANY` the server may read a whole partition
    /// and compare each row with all orders, while it has no statistics of new tables.
    ///
    /// - Parameter settled: the orders whose settlement facts to load; nil: all.
    func loading(_ orders: [OrderID], settled: [OrderID]? = nil) -> [PostgresStatement] {
        [
            """
            SELECT \(Self.orderColumns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(Self.orderColumns) FROM ledger.orders
                WHERE partition = $1 AND order_id = wanted.id OFFSET 0) AS o ORDER BY order_id
            """,
            """
            SELECT \(Self.offerColumns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(Self.offerColumns) FROM ledger.order_offers
                WHERE partition = $1 AND order_id = wanted.id OFFSET 0) AS o ORDER BY order_id, revision
            """,
            """
            SELECT \(Self.paymentColumns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(Self.paymentColumns) FROM ledger.payments p
                WHERE p.partition = $1 AND p.order_id = wanted.id OFFSET 0) AS p ORDER BY p.order_id, p.payment_id
            """,
            """
            SELECT \(Self.followUpColumns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(Self.followUpColumns) FROM ledger.follow_ups f
                WHERE f.partition = $1 AND f.order_id = wanted.id OFFSET 0) AS f ORDER BY f.order_id, f.operation_id
            """,
            """
            SELECT \(Self.refusalColumns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT \(Self.refusalColumns) FROM ledger.refused_commands
                WHERE partition = $1 AND order_id = wanted.id OFFSET 0) AS c ORDER BY order_id, command_id
            """,
            """
            SELECT f.order_id, f.place, \(ReadRecord.columns) FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT p.order_id, p."offset" AS place, \(ReadRecord.columns) FROM ledger.parked_facts p
                    \(ReadRecord.joined(to: "p"))
                WHERE p.partition = $1 AND p.order_id = wanted.id OFFSET 0) AS f ORDER BY f.place
            """,
        ].map { PostgresStatement($0, [partition, orders]) } + [settlement.loading(settled ?? orders)]
    }

    /// The orders from the results of ``loading(_:)``, by id, including orders with only parked facts.
    func orders(from results: ArraySlice<PostgresResult>) throws -> [OrderState] {
        precondition(results.count == 7, "one result for each statement")
        let tables = results.map(\.rows)
        var drafts: [OrderID: Draft] = [:]
        for row in tables[0] { drafts[try row.identifier("order_id")] = Draft(order: row) }
        for row in tables[1] { drafts[try row.identifier("order_id"), default: Draft()].offers.append(row) }
        for row in tables[2] { drafts[try row.identifier("order_id"), default: Draft()].payments.append(row) }
        for row in tables[3] { drafts[try row.identifier("order_id"), default: Draft()].followUps.append(row) }
        for row in tables[4] { drafts[try row.identifier("order_id"), default: Draft()].refused.append(row) }
        for row in tables[5] { drafts[try row.identifier("order_id"), default: Draft()].parked.append(row) }
        for row in tables[6] { drafts[try row.identifier("order_id"), default: Draft()].settlements.append(row) }
        return try drafts.sorted { $0.key < $1.key }.map { id, draft in try state(id, draft) }
    }

    /// One payment of an order, and the payment that paid the order; nil when the fold does not know the payment.
    func payment(
        _ payment: PaymentID, of order: OrderID, on connection: PostgresConnection
    ) async throws -> (state: PaymentState, paidBy: PaymentID?)? {
        try await connection.query(
            """
            SELECT \(Self.paymentColumns), o.paid_payment
            FROM ledger.payments p JOIN ledger.orders o USING (partition, order_id)
            WHERE p.partition = $1 AND p.order_id = $2 AND p.payment_id = $3
            """, [partition, order, payment]
        ).first.map { (try self.payment($0), try $0.optionalIdentifier("paid_payment")) }
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

    private func state(_ id: OrderID, _ draft: Draft) throws -> OrderState {
        let parked = try draft.parked.map(event)
        let settlements = try draft.settlements.map(settlement.event)
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

    private func offer(
        _ id: OrderID, _ merchant: MerchantID, _ currency: Currency, _ partitions: Int32, _ row: PostgresRow
    ) throws -> OfferFact {
        let totals = OfferTotals(
            currency: currency, subtotal: try row.int64("subtotal"), discount: try row.int64("discount"),
            shipping: try row.int64("shipping"), tax: try row.int64("tax"))
        guard let totals, totals.total == (try row.int64("total")) else {
            throw StoreError(.malformed, at: "order_offers", "the parts of an offer of order \(id) do not add up")
        }
        return OfferFact(
            order: id, merchant: merchant, revision: try row.int64("revision"), totals: totals,
            shippingMethod: try row.optionalString("shipping_method"), linesDigest: try row.bytes("lines_digest"),
            partitions: partitions)
    }

    private func event(_ row: PostgresRow) throws -> JournalEvent {
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
