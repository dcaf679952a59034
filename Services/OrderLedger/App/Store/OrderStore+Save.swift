import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension OrderStore {
    /// The statements that bring the database from one state of some orders to the next. Equal rows are not written.
    static func saving(_ orders: [OrderChange]) -> [Write] {
        let changed = orders.filter { $0.state != $0.known }
        /// Rows of one table, each with its order's place.
        func rows<Row>(_ new: (OrderState, OrderState?) -> some Sequence<Row>) -> [(place: OrderPlace, row: Row)] {
            changed.flatMap { order in new(order.state, order.known).map { (order.place, $0) } }
        }
        return [
            self.orders(changed.filter { OrderColumns($0.state) != $0.known.flatMap(OrderColumns.init) }),
            offers(rows { $0.offers.dropFirst($1?.offers.count ?? 0) }),
            payments(rows { state, known in state.payments.filter { known?[$0.payment] != $0 } }),
            followUps(rows { state, known in state.followUps.filter { known?.followUps.contains($0) != true } }),
            refusedCommands(
                rows { state, known in
                    state.refusedCommands.filter { known?.refusedCommands.contains($0) != true }
                }),
            parked(rows { state, known in state.parked.filter { known?.parked.contains($0) != true } }.map { $0.row }),
            SettlementFacts.insertion(
                of: rows { state, known in
                    let before = Set((known?.settlements ?? []).map(\.position))
                    return state.settlements.filter { !before.contains($0.position) }
                }.map { $0.row }),
            released(
                rows { state, known in (known?.parked ?? []).filter { !state.parked.contains($0) } }.map { $0.row }),
        ].filter { $0.rows > 0 }
    }

    /// - Parameter orders: with offers.
    private static func orders(_ orders: [OrderChange]) -> Write {
        let states = orders.map(\.state)
        return Write(
            """
            INSERT INTO ledger.orders (partition, order_id, merchant_id, currency, partitions, status, close_reason,
                closing_command, paid_payment, unallocated_payment, final_revision)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::text[],
                $7::text[], $8::uuid[], $9::uuid[], $10::uuid[], $11::bigint[])
            ON CONFLICT (partition, order_id) DO UPDATE SET status = excluded.status,
                close_reason = excluded.close_reason, closing_command = excluded.closing_command,
                paid_payment = excluded.paid_payment, unallocated_payment = excluded.unallocated_payment,
                final_revision = excluded.final_revision
            """,
            [
                orders.map(\.place.partition), states.map(\.id), states.map { $0.merchant },
                states.map { $0.offers.first?.totals.currency.code }, states.map { $0.offers.first?.partitions },
                states.map { $0.status?.rawValue }, states.map { $0.closing?.reason.rawValue },
                states.map { $0.closing?.command },
                states.map { $0.paidBy }, states.map { $0.unallocated }, states.map { $0.finalRevision },
            ], rows: orders.count)
    }

    private static func offers(_ rows: [(place: OrderPlace, row: OfferFact)]) -> Write {
        let offers = rows.map { $0.row }
        return Write(
            """
            INSERT INTO ledger.order_offers (partition, order_id, revision, subtotal, discount, shipping, tax, total,
                shipping_method, lines_digest)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                $7::bigint[], $8::bigint[], $9::text[], $10::bytea[])
            """,
            [
                rows.map { $0.place.partition }, offers.map(\.order), offers.map(\.revision),
                offers.map(\.totals.subtotal),
                offers.map(\.totals.discount), offers.map(\.totals.shipping), offers.map(\.totals.tax),
                offers.map(\.totals.total), offers.map(\.shippingMethod), offers.map(\.linesDigest),
            ], rows: offers.count)
    }

    private static func refusedCommands(_ rows: [(place: OrderPlace, row: CommandRejected)]) -> Write {
        let commands = rows.map { $0.row }
        return Write(
            """
            INSERT INTO ledger.refused_commands (partition, order_id, command_id, command_type, reason)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[], $5::text[])
            """,
            [
                rows.map { $0.place.partition }, commands.map(\.order), commands.map(\.command),
                commands.map(\.commandType), commands.map(\.reason.rawValue),
            ], rows: commands.count)
    }

    private static func parked(_ events: [JournalEvent]) -> Write {
        Write(
            """
            INSERT INTO ledger.parked_facts (partition, "offset", order_id)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::uuid[])
            """,
            [events.map(\.position.partition), events.map(\.position.offset), events.map(\.fact.order)],
            rows: events.count)
    }

    private static func released(_ events: [JournalEvent]) -> Write {
        Write(
            """
            DELETE FROM ledger.parked_facts AS p USING unnest($1::integer[], $2::bigint[]) AS released(partition, place)
            WHERE p.partition = released.partition AND p."offset" = released.place
            """, [events.map(\.position.partition), events.map(\.position.offset)], rows: events.count)
    }
}

/// What the row of an order holds and a fact can change: most facts change other tables only.
private struct OrderColumns: Equatable {
    let status: OrderStatus?
    let closing: OrderClosed?
    let paidBy: PaymentID?
    let unallocated: PaymentID?
    let finalRevision: Int64?

    /// - Returns: nil for an order without offers, which has no row.
    init?(_ order: OrderState) {
        guard !order.offers.isEmpty else { return nil }
        status = order.status
        closing = order.closing
        paidBy = order.paidBy
        unallocated = order.unallocated
        finalRevision = order.finalRevision
    }
}
