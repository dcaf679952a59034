/// Attempts to pay that token-ingest turned away: outside the books, their chain, replay and audit.
enum AttemptTables {
    static let sql = """
        CREATE TABLE attempts (
            partition integer NOT NULL,
            order_id text NOT NULL,
            attempt_id uuid NOT NULL,
            stage text NOT NULL CHECK (stage ~ '^[A-Za-z]{1,64}$'),
            reason text NOT NULL CHECK (reason ~ '^[A-Za-z]{1,64}$'),
            recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, order_id, attempt_id));
        COMMENT ON TABLE attempts IS 'Tokens that were turned away; what token-ingest says, and nobody proves';

        -- An attempt that is read again is known by its name, so that a place that is wrong costs time and nothing else.
        CREATE TABLE attempt_places (
            partition integer PRIMARY KEY,
            cluster_id text NOT NULL,
            next_offset bigint NOT NULL CHECK (next_offset >= 0)) WITH (fillfactor = 50);
        COMMENT ON TABLE attempt_places IS 'Where reading the attempts goes on';

        GRANT SELECT, INSERT ON attempts, attempt_places TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (cluster_id, next_offset) ON attempt_places TO \(LedgerSchema.serviceRole);
        """
}
