/// What the facts tell of settled days, and how each day stands.
enum SettlementTables {
    /// The folded tables, written by the projection alone; each has columns `partition` and `order_id`.
    static let folded = ["settlement_facts"]

    /// The indexes on payments and follow-ups find what a file should have: by the acquirer's own date, or without one by the time.
    ///
    /// Those on payments take minutes where there are many. Who may not wait makes them before, CONCURRENTLY; and `entries`, which
    /// every reader needs, is locked after them.
    static let sql = """
        CREATE TABLE settlement_facts (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            order_id uuid NOT NULL,
            kind text NOT NULL CHECK (kind IN ('file', 'row', 'dispute', 'explanation', 'payOut')),
            merchant_id uuid NOT NULL,
            acquirer text NOT NULL,
            account text NOT NULL,
            settlement_date text NOT NULL,
            owed bigint,
            PRIMARY KEY (partition, "offset"));
        COMMENT ON TABLE settlement_facts IS 'Where the facts about settled days are; the records themselves are in facts';
        COMMENT ON COLUMN settlement_facts.order_id IS 'The order; else the name of the settled day or of the pay-out';
        COMMENT ON COLUMN settlement_facts.owed IS 'What a file, dispute or pay-out adds to what the acquirer owes, in minor units';
        CREATE INDEX settlement_facts_order ON settlement_facts (partition, order_id);
        CREATE INDEX settlement_facts_day
            ON settlement_facts (merchant_id, acquirer, account, kind, settlement_date, partition, "offset") INCLUDE (owed);

        CREATE INDEX IF NOT EXISTS payments_settlement ON payments (account, settlement_date, partition, order_id)
            WHERE settlement_date IS NOT NULL;
        CREATE INDEX IF NOT EXISTS payments_without_date ON payments (account, transaction_time, partition, order_id)
            WHERE settlement_date IS NULL AND status IN ('succeeded', 'lateSuccess');
        CREATE INDEX follow_ups_settlement ON follow_ups (account, settlement_date, partition, order_id)
            WHERE settlement_date IS NOT NULL;
        CREATE INDEX follow_ups_without_date ON follow_ups (account, transaction_time, partition, order_id)
            WHERE settlement_date IS NULL AND status = 'succeeded';

        CREATE TABLE settlement_days (
            merchant_id uuid NOT NULL,
            acquirer text NOT NULL,
            account text NOT NULL,
            settlement_date text NOT NULL,
            status text NOT NULL CHECK (status IN ('reconciled', 'differs', 'waiting')),
            open_differences bigint NOT NULL,
            oldest_at timestamptz,
            report bytea NOT NULL,
            checked_at timestamptz NOT NULL,
            PRIMARY KEY (merchant_id, acquirer, account, settlement_date)) WITH (fillfactor = 70);
        COMMENT ON TABLE settlement_days IS 'How each settled day stood when it was last reconciled; made from the books at any time';
        COMMENT ON COLUMN settlement_days.report IS 'Canonical JSON, as GET /v1/settlements answers it';
        CREATE INDEX settlement_days_open ON settlement_days (merchant_id, acquirer, account, settlement_date)
            WHERE status <> 'reconciled';

        GRANT SELECT, INSERT ON settlement_facts TO \(LedgerSchema.serviceRole);
        GRANT SELECT, INSERT ON settlement_days TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (status, open_differences, oldest_at, report, checked_at) ON settlement_days
            TO \(LedgerSchema.serviceRole);

        ALTER TABLE entries ALTER COLUMN payment_id DROP NOT NULL;
        COMMENT ON COLUMN entries.payment_id IS 'NULL where acquirer or bank tell of money of no known payment';
        """
}
