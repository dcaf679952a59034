import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension OrderStore {
    /// The statements that bring the database from one state of some orders to the next. Equal rows are not written.
    func saving(_ states: [OrderState], over known: [OrderID: OrderState]) -> [Write] {
        let changed = states.filter { $0 != known[$0.id] }
        return [
            orders(changed.filter { OrderColumns($0) != known[$0.id].flatMap(OrderColumns.init) }),
            offers(changed.flatMap { $0.offers.dropFirst(known[$0.id]?.offers.count ?? 0) }),
            payments(
                changed.flatMap { state in
                    state.payments.filter { known[state.id]?[$0.payment] != $0 }.map { (state.id, $0) }
                }),
            followUps(
                changed.flatMap { state in
                    state.followUps.filter { known[state.id]?.followUps.contains($0) != true }.map { (state.id, $0) }
                }),
            refusedCommands(
                changed.flatMap { state in
                    state.refusedCommands.filter { known[state.id]?.refusedCommands.contains($0) != true }
                }),
            parked(
                changed.flatMap { state in
                    state.parked.filter { known[state.id]?.parked.contains($0) != true }
                }),
            SettlementFacts(partition: partition).insertion(
                of: changed.flatMap { state in
                    let before = Set((known[state.id]?.settlements ?? []).map(\.position))
                    return state.settlements.filter { !before.contains($0.position) }
                }),
            released(
                changed.flatMap { state in
                    (known[state.id]?.parked ?? []).filter { !state.parked.contains($0) }
                }),
        ].filter { $0.rows > 0 }
    }

    /// - Parameter states: orders with offers.
    private func orders(_ states: [OrderState]) -> Write {
        Write(
            """
            INSERT INTO ledger.orders (partition, order_id, merchant_id, currency, partitions, status, close_reason,
                closing_command, paid_payment, unallocated_payment, final_revision)
            SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[],
                $8::uuid[], $9::uuid[], $10::uuid[], $11::bigint[])
            ON CONFLICT (partition, order_id) DO UPDATE SET status = excluded.status,
                close_reason = excluded.close_reason, closing_command = excluded.closing_command,
                paid_payment = excluded.paid_payment, unallocated_payment = excluded.unallocated_payment,
                final_revision = excluded.final_revision
            """,
            [
                partition, states.map(\.id), states.map { $0.merchant },
                states.map { $0.offers.first?.totals.currency.code }, states.map { $0.offers.first?.partitions },
                states.map { $0.status?.rawValue }, states.map { $0.closing?.reason.rawValue },
                states.map { $0.closing?.command },
                states.map { $0.paidBy }, states.map { $0.unallocated }, states.map { $0.finalRevision },
            ], rows: states.count)
    }

    private func offers(_ offers: [OfferFact]) -> Write {
        Write(
            """
            INSERT INTO ledger.order_offers (partition, order_id, revision, subtotal, discount, shipping, tax, total,
                shipping_method, lines_digest)
            SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::bigint[], $9::text[], $10::bytea[])
            """,
            [
                partition, offers.map(\.order), offers.map(\.revision), offers.map(\.totals.subtotal),
                offers.map(\.totals.discount), offers.map(\.totals.shipping), offers.map(\.totals.tax),
                offers.map(\.totals.total), offers.map(\.shippingMethod), offers.map(\.linesDigest),
            ], rows: offers.count)
    }

    private func refusedCommands(_ commands: [CommandRejected]) -> Write {
        Write(
            """
            INSERT INTO ledger.refused_commands (partition, order_id, command_id, command_type, reason)
            SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[])
            """,
            [
                partition, commands.map(\.order), commands.map(\.command),
                commands.map(\.commandType), commands.map(\.reason.rawValue),
            ], rows: commands.count)
    }

    private func parked(_ events: [JournalEvent]) -> Write {
        Write(
            """
            INSERT INTO ledger.parked_facts (partition, "offset", order_id)
            SELECT $1, * FROM unnest($2::bigint[], $3::uuid[])
            """,
            [partition, events.map(\.position.offset), events.map(\.fact.order)], rows: events.count)
    }

    private func released(_ events: [JournalEvent]) -> Write {
        Write(
            #"DELETE FROM ledger.parked_facts WHERE partition = $1 AND "offset" = ANY($2)"#,
            [partition, events.map(\.position.offset)], rows: events.count)
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
