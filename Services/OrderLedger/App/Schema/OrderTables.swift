/// Orders as folded: written by the projection alone, rebuilt by replay.
enum OrderTables {
    /// All of them; each has columns `partition` and `order_id`.
    static let names = ["orders", "order_offers", "payments", "refused_commands", "parked_facts"]

    static let sql = """
        CREATE TABLE orders (
            partition integer NOT NULL,
            order_id text NOT NULL,
            merchant_id text NOT NULL,
            currency text NOT NULL,
            partitions integer NOT NULL,
            status text NOT NULL CHECK (status IN ('open', 'paid', 'cancelled', 'expired', 'review')),
            close_reason text,
            closing_command text,
            paid_payment text,
            PRIMARY KEY (partition, order_id));

        CREATE TABLE order_offers (
            partition integer NOT NULL,
            order_id text NOT NULL,
            revision bigint NOT NULL,
            subtotal bigint NOT NULL,
            discount bigint NOT NULL,
            shipping bigint NOT NULL,
            tax bigint NOT NULL,
            total bigint NOT NULL,
            shipping_method text,
            lines_digest bytea NOT NULL,
            PRIMARY KEY (partition, order_id, revision));

        CREATE TABLE payments (
            partition integer NOT NULL,
            order_id text NOT NULL,
            payment_id text NOT NULL,
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
            PRIMARY KEY (partition, order_id, payment_id));

        CREATE TABLE refused_commands (
            partition integer NOT NULL,
            order_id text NOT NULL,
            command_id text NOT NULL,
            command_type text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (partition, order_id, command_id));

        CREATE TABLE parked_facts (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            order_id text NOT NULL,
            PRIMARY KEY (partition, "offset"));
        COMMENT ON TABLE parked_facts IS 'Facts that wait for another producer''s; the record itself is in facts';
        CREATE INDEX parked_facts_order ON parked_facts (partition, order_id);

        GRANT SELECT, INSERT, UPDATE ON orders, payments TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT ON order_offers, refused_commands TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT, DELETE ON parked_facts TO \(LedgerSchema.serviceRole);
        """
}
