import Contracts
import Ledger
import OrchardPostgres
import Outbox

extension OrderStore {
    /// Writes payments that are new or have changed.
    static func payments(_ payments: [(place: OrderPlace, row: PaymentState)]) -> Write {
        let states = payments.map { $0.row }
        return Write(
            """
            INSERT INTO ledger.payments (partition, order_id, payment_id, status, transition, revision, currency, amount,
                network, last_four, payment_data, reason, acquirer, account, order_number, transaction_time, code,
                serial, settlement_date, expires_at)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
                $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
                $16::timestamptz[], $17::text[], $18::text[], $19::text[], $20::timestamptz[])
            ON CONFLICT (partition, order_id, payment_id) DO UPDATE SET status = excluded.status,
                transition = excluded.transition, network = excluded.network, last_four = excluded.last_four,
                payment_data = excluded.payment_data, reason = excluded.reason, acquirer = excluded.acquirer,
                account = excluded.account, order_number = excluded.order_number,
                transaction_time = excluded.transaction_time, code = excluded.code, serial = excluded.serial,
                settlement_date = excluded.settlement_date, expires_at = excluded.expires_at
            """,
            [
                payments.map { $0.place.partition }, payments.map { $0.place.order }, states.map(\.payment),
                states.map(\.status.rawValue), states.map(\.transition), states.map(\.revision),
                states.map(\.amount.currency.code), states.map(\.amount.minorUnits),
                states.map { $0.card?.network.rawValue }, states.map { $0.card?.lastFour },
                states.map { $0.card?.paymentData.rawValue }, states.map(\.reason),
                states.map { $0.reference?.acquirer }, states.map { $0.reference?.account },
                states.map { $0.reference?.orderNumber }, states.map { $0.reference?.time.postgres },
                states.map { $0.result?.code }, states.map { $0.result?.serial },
                states.map { $0.result?.settlementDate }, states.map { $0.expiresAt?.postgres },
            ], rows: payments.count)
    }

    /// Writes captures, voids and refunds that are new or have changed.
    static func followUps(_ followUps: [(place: OrderPlace, row: FollowUpState)]) -> Write {
        let states = followUps.map { $0.row }
        let (given, booked) = (states.map(\.parts), states.map(\.booked))
        return Write(
            """
            INSERT INTO ledger.follow_ups (partition, order_id, operation_id, payment_id, kind, target, command_id,
                currency, amount, given_subtotal, given_discount, given_shipping, given_tax, booked_subtotal,
                booked_discount, booked_shipping, booked_tax, status, transition, reason, acquirer, account,
                order_number, transaction_time, code, serial, settlement_date, voided_by)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::uuid[],
                $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
                $16::bigint[], $17::bigint[], $18::text[], $19::bigint[], $20::text[], $21::text[], $22::text[],
                $23::text[], $24::timestamptz[], $25::text[], $26::text[], $27::text[], $28::uuid[])
            ON CONFLICT (partition, order_id, operation_id) DO UPDATE SET booked_subtotal = excluded.booked_subtotal,
                booked_discount = excluded.booked_discount, booked_shipping = excluded.booked_shipping,
                booked_tax = excluded.booked_tax, status = excluded.status, transition = excluded.transition,
                reason = excluded.reason, acquirer = excluded.acquirer, account = excluded.account,
                order_number = excluded.order_number, transaction_time = excluded.transaction_time,
                code = excluded.code, serial = excluded.serial, settlement_date = excluded.settlement_date,
                voided_by = excluded.voided_by
            """,
            [
                followUps.map { $0.place.partition }, followUps.map { $0.place.order }, states.map(\.operation),
                states.map(\.payment),
                states.map(\.kind.rawValue), states.map { $0.target?.rawValue }, states.map { $0.cause.command },
                states.map(\.amount.currency.code), states.map(\.amount.minorUnits),
                given.map { $0?.subtotal }, given.map { $0?.discount }, given.map { $0?.shipping },
                given.map { $0?.tax },
                booked.map { $0?.subtotal }, booked.map { $0?.discount }, booked.map { $0?.shipping },
                booked.map { $0?.tax }, states.map(\.status.rawValue), states.map(\.transition), states.map(\.reason),
                states.map { $0.result?.reference.acquirer }, states.map { $0.result?.reference.account },
                states.map { $0.result?.reference.orderNumber }, states.map { $0.result?.reference.time.postgres },
                states.map { $0.result?.code }, states.map { $0.result?.serial },
                states.map { $0.result?.settlementDate }, states.map { $0.voidedBy },
            ], rows: followUps.count)
    }
}
