/// What a shop's commands after the payment asked for, and the final lines of orders whose total was pending.
enum FollowUpCommandTables {
    static let sql = """
        ALTER TABLE commands ADD COLUMN payment_id uuid, ADD COLUMN currency text, ADD COLUMN amount bigint,
            ADD COLUMN request bytea;
        COMMENT ON COLUMN commands.reason IS
            'Why the order was cancelled: customer, shop or paidElsewhere; of a refund the shop''s own words';
        COMMENT ON COLUMN commands.amount IS 'What is captured or refunded, in minor units; NULL for everything';
        COMMENT ON COLUMN commands.request IS 'What the shop asked for, canonical JSON';

        CREATE TABLE final_offers (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            revision bigint NOT NULL,
            command_id uuid NOT NULL,
            request bytea NOT NULL,
            request_digest bytea NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (partition, order_id));
        COMMENT ON TABLE final_offers IS 'The final lines of orders whose total was pending, with the capture that takes it';
        COMMENT ON COLUMN final_offers.request IS 'The order''s request with its final lines, canonical JSON';
        COMMENT ON COLUMN final_offers.request_digest IS 'SHA-256 of request';
        GRANT SELECT, INSERT ON final_offers TO \(LedgerSchema.serviceRole);
        """
}
