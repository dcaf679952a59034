/// Folded orders: only the projection writes them, and replay folds them again.
enum OrderTables {
    /// All of them; each has columns `partition` and `order_id`.
    static let names =
        ["orders", "order_offers", "payments", "follow_ups", "refused_commands", "parked_facts"]
        + SettlementTables.folded

    static let sql = """
        CREATE TABLE orders (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            currency text NOT NULL,
            partitions integer NOT NULL,
            status text NOT NULL CHECK (status IN ('open', 'paid', 'cancelled', 'expired', 'review')),
            close_reason text,
            closing_command uuid,
            paid_payment uuid,
            PRIMARY KEY (partition, order_id)) WITH (fillfactor = 70);
        COMMENT ON TABLE orders IS 'Orders as the facts tell; order_overview shows them with times and decimal amounts';

        CREATE TABLE order_offers (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            revision bigint NOT NULL,
            subtotal bigint NOT NULL,
            discount bigint NOT NULL,
            shipping bigint NOT NULL,
            tax bigint NOT NULL,
            total bigint NOT NULL,
            shipping_method text,
            lines_digest bytea NOT NULL,
            PRIMARY KEY (partition, order_id, revision));
        COMMENT ON TABLE order_offers IS 'The prices of an order that were told, by revision, in minor units';

        CREATE TABLE payments (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            payment_id uuid NOT NULL,
            status text NOT NULL,
            transition bigint NOT NULL,
            revision bigint NOT NULL,
            currency text NOT NULL,
            amount bigint NOT NULL,
            network text,
            last_four text,
            payment_data text,
            reason text,
            acquirer text,
            account text,
            order_number text,
            transaction_time timestamptz,
            code text,
            serial text,
            settlement_date text,
            PRIMARY KEY (partition, order_id, payment_id)) WITH (fillfactor = 70);
        COMMENT ON TABLE payments IS 'Payments as the facts tell, with the acquirer''s reference and answer';
        COMMENT ON COLUMN payments.amount IS 'Minor units';

        CREATE TABLE refused_commands (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            command_id uuid NOT NULL,
            command_type text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (partition, order_id, command_id));
        COMMENT ON TABLE refused_commands IS 'Shops'' commands that the gateway rejected, and why';

        CREATE TABLE parked_facts (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            order_id uuid NOT NULL,
            PRIMARY KEY (partition, "offset"));
        COMMENT ON TABLE parked_facts IS 'Facts that wait for another producer''s; the record itself is in facts';
        CREATE INDEX parked_facts_order ON parked_facts (partition, order_id);

        GRANT SELECT, INSERT ON orders, payments, order_offers, refused_commands TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (status, close_reason, closing_command, paid_payment) ON orders TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (status, transition, network, last_four, payment_data, reason, acquirer, account, order_number,
            transaction_time, code, serial, settlement_date) ON payments TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT, DELETE ON parked_facts TO \(LedgerSchema.serviceRole);
        """
}
