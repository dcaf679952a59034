/// What acquirers' settlement files said, and how far it was told.
enum SettlementTables {
    static let sql = """
        CREATE TABLE settlement_files (
            -- That of the day's name in the journal.
            partition integer NOT NULL,
            acquirer text NOT NULL,
            account text NOT NULL,
            settlement_date text COLLATE "C" NOT NULL CHECK (settlement_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
            merchant_id uuid NOT NULL,
            content bytea NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            content_digest bytea NOT NULL CHECK (octet_length(content_digest) = 32),
            row_count bigint NOT NULL,
            dispute_count bigint NOT NULL,
            currency text NOT NULL,
            taken bigint NOT NULL,
            returned bigint NOT NULL,
            fees bigint NOT NULL,
            net bigint NOT NULL,
            recorded bigint NOT NULL DEFAULT 0,
            fetched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            recorded_at timestamptz,
            PRIMARY KEY (partition, acquirer, account, settlement_date),
            CHECK (net = taken - returned - fees),
            CHECK (recorded BETWEEN 0 AND row_count + dispute_count)
        );
        COMMENT ON TABLE settlement_files IS 'Acquirers'' files of a day, read and checked; the content is the proof';
        COMMENT ON COLUMN settlement_files.content IS 'As it was fetched; digest is its SHA-256';
        COMMENT ON COLUMN settlement_files.content_digest IS 'Of the files inside: the same when they are packed again';
        COMMENT ON COLUMN settlement_files.recorded IS 'Rows and disputes that are recorded and told';
        COMMENT ON COLUMN settlement_files.recorded_at IS 'When all of them were; NULL: that goes on';
        -- A day is found also when there are more partitions than there were.
        CREATE UNIQUE INDEX settlement_files_day ON settlement_files (acquirer, account, settlement_date);

        CREATE TABLE settlement_rows (
            -- The order's; the day's where the gateway knows no operation of that number.
            partition integer NOT NULL,
            acquirer text NOT NULL,
            account text NOT NULL,
            settlement_date text COLLATE "C" NOT NULL CHECK (settlement_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
            line integer NOT NULL,
            kind text NOT NULL,
            serial text NOT NULL,
            trace text NOT NULL,
            order_number text NOT NULL,
            amount bigint NOT NULL,
            currency text NOT NULL,
            fee bigint NOT NULL,
            net bigint NOT NULL,
            order_id uuid,
            payment_id uuid,
            operation_id uuid,
            PRIMARY KEY (partition, acquirer, account, settlement_date, line),
            CHECK ((order_id IS NULL) = (payment_id IS NULL) AND (order_id IS NULL) = (operation_id IS NULL))
        );
        COMMENT ON TABLE settlement_rows IS 'What acquirers say that they did; order_id is NULL where it is no operation of ours';
        COMMENT ON COLUMN settlement_rows.amount IS 'Minor units, as fee and net';
        -- A transaction is proved absent when no row has its number.
        CREATE INDEX settlement_rows_reference ON settlement_rows (order_number);
        -- Disputes name what they are about so.
        CREATE INDEX settlement_rows_trace ON settlement_rows (trace);
        CREATE INDEX settlement_rows_unmatched ON settlement_rows (acquirer, account, settlement_date)
            WHERE order_id IS NULL;

        CREATE TABLE settlement_refusals (
            partition integer NOT NULL,
            acquirer text NOT NULL,
            account text NOT NULL,
            settlement_date text COLLATE "C" NOT NULL CHECK (settlement_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            content bytea NOT NULL,
            reason text NOT NULL,
            refused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, acquirer, account, settlement_date, digest)
        );
        COMMENT ON TABLE settlement_refusals IS 'Files that were not taken, kept aside with the reason';
        CREATE INDEX settlement_refusals_day ON settlement_refusals (acquirer, account, settlement_date);

        -- Of which days a file is expected. Where there are many operations the first takes minutes: who may not wait makes
        -- it before, CONCURRENTLY.
        CREATE INDEX IF NOT EXISTS operations_account_time ON operations (acquirer, account, transaction_time);
        CREATE INDEX follow_ups_account_time ON follow_ups (acquirer, account, transaction_time);

        GRANT SELECT, INSERT ON settlement_files, settlement_rows, settlement_refusals TO \(GatewaySchema.serviceRole);
        GRANT UPDATE (recorded, recorded_at) ON settlement_files TO \(GatewaySchema.serviceRole);
        """
}
