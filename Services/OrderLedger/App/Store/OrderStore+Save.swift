import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension OrderStore {
    /// The statements that bring the database from one state of some orders to the next. Equal rows are not written.
    func saving(_ states: [OrderState], over known: [OrderID: OrderState]) -> [Write] {
        let changed = states.filter { $0 != known[$0.id] }
        return [
            orders(changed.filter { !$0.offers.isEmpty }),
            offers(changed.flatMap { $0.offers.dropFirst(known[$0.id]?.offers.count ?? 0) }),
            payments(
                changed.flatMap { state in
                    state.payments.filter { known[state.id]?[$0.payment] != $0 }.map { (state.id, $0) }
                }),
            refusedCommands(
                changed.flatMap { state in
                    state.refusedCommands.filter { known[state.id]?.refusedCommands.contains($0) != true }
                }),
            parked(
                changed.flatMap { state in
                    state.parked.filter { known[state.id]?.parked.contains($0) != true }
                }),
            released(
                changed.flatMap { state in
                    (known[state.id]?.parked ?? []).filter { !state.parked.contains($0) }
                }),
        ].filter { $0.rows > 0 }
    }

    private func orders(_ states: [OrderState]) -> Write {
        Write(
            """
            INSERT INTO ledger.orders (partition, order_id, merchant_id, currency, partitions, status, close_reason,
                closing_command, paid_payment)
            SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[],
                $8::uuid[], $9::uuid[])
            ON CONFLICT (partition, order_id) DO UPDATE SET status = excluded.status,
                close_reason = excluded.close_reason, closing_command = excluded.closing_command,
                paid_payment = excluded.paid_payment
            """,
            [
                partition, states.map(\.id), states.map { $0.merchant },
                states.map { $0.offers.first?.totals.currency.code }, states.map { $0.offers.first?.partitions },
                states.map { $0.status?.rawValue }, states.map { $0.closing?.reason.rawValue },
                states.map { $0.closing?.command },
                states.map { $0.paidBy },
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

    private func payments(_ payments: [(order: OrderID, state: PaymentState)]) -> Write {
        let states = payments.map { $0.state }
        return Write(
            """
            INSERT INTO ledger.payments (partition, order_id, payment_id, status, transition, revision, currency, amount,
                network, last_four, payment_data, reason, acquirer, account, order_number, transaction_time, code,
                serial, settlement_date)
            SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
                $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
                $16::timestamptz[], $17::text[], $18::text[], $19::text[])
            ON CONFLICT (partition, order_id, payment_id) DO UPDATE SET status = excluded.status,
                transition = excluded.transition, network = excluded.network, last_four = excluded.last_four,
                payment_data = excluded.payment_data, reason = excluded.reason, acquirer = excluded.acquirer,
                account = excluded.account, order_number = excluded.order_number,
                transaction_time = excluded.transaction_time, code = excluded.code, serial = excluded.serial,
                settlement_date = excluded.settlement_date
            """,
            [
                partition, payments.map { $0.order }, states.map(\.payment),
                states.map(\.status.rawValue), states.map(\.transition), states.map(\.revision),
                states.map(\.amount.currency.code), states.map(\.amount.minorUnits),
                states.map { $0.card?.network.rawValue }, states.map { $0.card?.lastFour },
                states.map { $0.card?.paymentData.rawValue }, states.map(\.reason),
                states.map { $0.reference?.acquirer }, states.map { $0.reference?.account },
                states.map { $0.reference?.orderNumber }, states.map { $0.reference?.time.postgres },
                states.map { $0.result?.code }, states.map { $0.result?.serial },
                states.map { $0.result?.settlementDate },
            ], rows: payments.count)
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
