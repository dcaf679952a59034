/// Offers and commands as the API made them, each with its fact or command in the outbox of the same transaction.
enum OfferTables {
    static let sql = """
        CREATE TABLE offered_orders (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            partitions integer NOT NULL,
            request bytea NOT NULL,
            request_digest bytea NOT NULL,
            revision bigint NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id)) WITH (fillfactor = 80);
        COMMENT ON TABLE offered_orders IS 'Orders that shops opened, and the revision of the offer that is in force';
        COMMENT ON COLUMN offered_orders.request IS 'What the shop asked for, canonical JSON; goods are kept here alone';
        COMMENT ON COLUMN offered_orders.request_digest IS 'SHA-256 of request';
        -- An order is in one partition, whatever the programs that open it are configured with.
        CREATE UNIQUE INDEX offered_orders_order ON offered_orders (order_id);

        CREATE TABLE idempotency_keys (
            slot integer NOT NULL CHECK (slot BETWEEN 0 AND 1023),
            merchant_id uuid NOT NULL,
            key text NOT NULL,
            order_id uuid NOT NULL,
            partitions integer NOT NULL CHECK (partitions > 0),
            created_at timestamptz NOT NULL,
            PRIMARY KEY (slot, merchant_id, key));
        COMMENT ON TABLE idempotency_keys IS 'The order that each Idempotency-Key opened, and over how many partitions';

        CREATE TABLE offers (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            revision bigint NOT NULL,
            shipping_method text,
            total bigint NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id, revision));
        COMMENT ON TABLE offers IS 'Each revision of an order that a ticket was given for';
        COMMENT ON COLUMN offers.total IS 'Minor units';

        CREATE TABLE commands (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            command_id uuid NOT NULL,
            type text NOT NULL,
            api_key text NOT NULL,
            requested_at timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id, command_id));
        COMMENT ON TABLE commands IS 'Shops'' commands that were handed to the gateway, and with which API key';

        GRANT SELECT, INSERT ON offered_orders, idempotency_keys, offers, commands TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (revision) ON offered_orders TO \(LedgerSchema.serviceRole);
        """

    /// What a customer chose besides the shipping method; why a command was given; when an order expires.
    static let choicesSQL = """
        ALTER TABLE offers ADD COLUMN region text, ADD COLUMN coupon bigint, ADD COLUMN card_type text;
        COMMENT ON COLUMN offers.region IS 'The region of the chosen address, made of the shop''s regions';
        COMMENT ON COLUMN offers.coupon IS 'The number of the coupon in the request, from 1';
        COMMENT ON COLUMN offers.card_type IS 'The type of card that the price holds for';
        ALTER TABLE commands ADD COLUMN reason text;
        COMMENT ON COLUMN commands.reason IS 'Why the order was cancelled: customer, shop or paidElsewhere';
        ALTER TABLE offered_orders ADD COLUMN expiry_due timestamptz, ADD COLUMN reference text;
        COMMENT ON COLUMN offered_orders.reference IS 'The shop''s own number, as in the request';
        CREATE INDEX offered_orders_merchant ON offered_orders (merchant_id, created_at, order_id);
        CREATE INDEX offered_orders_reference ON offered_orders (merchant_id, reference, created_at)
            WHERE reference IS NOT NULL;
        COMMENT ON COLUMN offered_orders.expiry_due IS 'When the gateway is asked to close the order; NULL if never, or done';
        CREATE INDEX offered_orders_expiry ON offered_orders (expiry_due) WHERE expiry_due IS NOT NULL;
        GRANT UPDATE (expiry_due) ON offered_orders TO \(LedgerSchema.serviceRole);
        """

    /// Each order and contact leaves a dead entry at the head of the index that a sweep reads from there. By default they
    /// are removed only when a fifth of the table has changed.
    static let vacuumSQL = """
        ALTER TABLE offered_orders SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
        ALTER TABLE contacts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
        """
}
