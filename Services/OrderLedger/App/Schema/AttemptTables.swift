/// Attempts to pay that token-ingest rejected: they are outside the books, their chain, replay and audit.
enum AttemptTables {
    static let sql = """
        CREATE TABLE attempts (
            partition integer NOT NULL,
            order_id uuid NOT NULL,
            attempt_id uuid NOT NULL,
            stage text NOT NULL CHECK (stage ~ '^[A-Za-z]{1,64}$'),
            reason text NOT NULL CHECK (reason ~ '^[A-Za-z]{1,64}$'),
            recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, order_id, attempt_id));
        COMMENT ON TABLE attempts IS 'Tokens that were turned away; what token-ingest says, and nobody proves';
        CREATE INDEX attempts_recorded ON attempts (recorded_at);

        -- Deletes attempts that are older than 30 days, some at a time; how many they were. The service may delete no
        -- others. (Not clock_timestamp(), which would be compared with every row of the index.)
        CREATE FUNCTION prune_attempts() RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            removed integer;
        BEGIN
            DELETE FROM \(LedgerSchema.name).attempts WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM \(LedgerSchema.name).attempts
                WHERE recorded_at < statement_timestamp() - interval '30 days'
                ORDER BY recorded_at LIMIT \(AttemptPruning.portion) FOR UPDATE SKIP LOCKED));
            GET DIAGNOSTICS removed = ROW_COUNT;
            RETURN removed;
        END $$;
        REVOKE EXECUTE ON FUNCTION prune_attempts() FROM PUBLIC;

        -- An attempt that is read again is known by its name, so that a place that is wrong costs time and nothing else.
        CREATE TABLE attempt_places (
            partition integer PRIMARY KEY,
            cluster_id text NOT NULL,
            next_offset bigint NOT NULL CHECK (next_offset >= 0)) WITH (fillfactor = 50);
        COMMENT ON TABLE attempt_places IS 'Where reading the attempts goes on';

        GRANT SELECT, INSERT ON attempts, attempt_places TO \(LedgerSchema.serviceRole);
        GRANT EXECUTE ON FUNCTION prune_attempts() TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (cluster_id, next_offset) ON attempt_places TO \(LedgerSchema.serviceRole);
        """
}
