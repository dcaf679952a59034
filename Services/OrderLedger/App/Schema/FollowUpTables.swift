import Outbox

/// Captures, voids and refunds of folded orders, and what they add to orders and payments.
enum FollowUpTables {
    /// The table is read and small before the columns are added: an `ALTER TABLE` holds its lock to the end of the
    /// transaction, and services must not wait for a search of all orders.
    static let sql = """
        CREATE TEMPORARY TABLE unallocated ON COMMIT DROP AS
            SELECT o.partition, o.order_id, e.payment_id FROM orders AS o
                JOIN facts AS f ON f.partition = o.partition AND f.order_id = o.order_id AND f.\(JournalTables.isTaken)
                JOIN entries AS e ON e.partition = f.partition AND e."offset" = f."offset" AND e.order_id = o.order_id
            WHERE o.status = 'review' AND e.kind = 'unallocatedSuccess' AND e.line = 0;

        CREATE TABLE follow_ups (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            operation_id uuid NOT NULL,
            payment_id uuid NOT NULL,
            kind text NOT NULL,
            target text,
            command_id uuid,
            currency text NOT NULL,
            amount bigint NOT NULL,
            given_subtotal bigint,
            given_discount bigint,
            given_shipping bigint,
            given_tax bigint,
            booked_subtotal bigint,
            booked_discount bigint,
            booked_shipping bigint,
            booked_tax bigint,
            status text NOT NULL,
            transition bigint NOT NULL,
            reason text,
            acquirer text,
            account text,
            order_number text,
            transaction_time timestamptz,
            code text,
            serial text,
            settlement_date text,
            voided_by uuid,
            PRIMARY KEY (partition, order_id, operation_id)) WITH (fillfactor = 70);
        COMMENT ON TABLE follow_ups IS 'Captures, voids and refunds as the facts tell; follow_up_overview shows them with '
            'decimal amounts';
        COMMENT ON COLUMN follow_ups.target IS 'What a void undoes: sale, authorisation, capture';
        COMMENT ON COLUMN follow_ups.command_id IS 'The shop''s command; NULL when a late payment is given back by itself';
        COMMENT ON COLUMN follow_ups.amount IS 'Minor units';
        COMMENT ON COLUMN follow_ups.given_subtotal IS 'What the amount consists of, where the shop said it';
        COMMENT ON COLUMN follow_ups.booked_subtotal IS 'The parts that the books took or gave back';
        COMMENT ON COLUMN follow_ups.voided_by IS 'The void that undid the capture';
        GRANT SELECT, INSERT ON follow_ups TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (booked_subtotal, booked_discount, booked_shipping, booked_tax, status, transition, reason, acquirer,
            account, order_number, transaction_time, code, serial, settlement_date, voided_by) ON follow_ups
            TO \(LedgerSchema.serviceRole);

        CREATE VIEW follow_up_overview AS
        SELECT f.partition, f.order_id, f.payment_id, f.operation_id, f.kind, f.target, f.status, f.reason,
            decimal_amount(f.amount, f.currency) AS amount, f.currency,
            decimal_amount(f.booked_subtotal - f.booked_discount, f.currency) AS goods,
            decimal_amount(f.booked_shipping, f.currency) AS shipping, decimal_amount(f.booked_tax, f.currency) AS tax,
            f.command_id, f.voided_by, f.acquirer, f.account, f.order_number, f.transaction_time, f.code, f.serial,
            f.settlement_date
        FROM follow_ups AS f;
        COMMENT ON VIEW follow_up_overview IS
            'One row a capture, void or refund: its status, its parts as they were booked, and the acquirer''s reference';
        COMMENT ON COLUMN follow_up_overview.amount IS 'In the currency''s major unit, as goods, shipping and tax are';

        ALTER TABLE payments ADD COLUMN expires_at timestamptz;
        COMMENT ON COLUMN payments.expires_at IS 'When the hold ends by itself; NULL for a sale';
        GRANT UPDATE (expires_at) ON payments TO \(LedgerSchema.serviceRole);
        -- NOT VALID spares a search of all orders: each of them has a status of the shorter list.
        ALTER TABLE orders ADD COLUMN unallocated_payment uuid, ADD COLUMN final_revision bigint,
            DROP CONSTRAINT orders_status_check,
            ADD CONSTRAINT orders_status_check CHECK (status IN ('open', 'authorised', 'paid', 'voided', 'cancelled',
                'expired', 'review')) NOT VALID;
        COMMENT ON COLUMN orders.paid_payment IS 'The payment that the order belongs to: its sale or its authorisation';
        COMMENT ON COLUMN orders.unallocated_payment IS 'The payment that closed it with another amount than the offer''s';
        COMMENT ON COLUMN orders.final_revision IS 'The revision of its final lines, if its total was pending';
        GRANT UPDATE (unallocated_payment, final_revision) ON orders TO \(LedgerSchema.serviceRole);
        UPDATE orders AS o SET unallocated_payment = u.payment_id FROM unallocated AS u
            WHERE o.partition = u.partition AND o.order_id = u.order_id;
        """
}
