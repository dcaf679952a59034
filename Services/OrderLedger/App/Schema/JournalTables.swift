import OrchardPostgres

/// Tables that only grow: the records of the journal, their entries, and each partition's chain.
enum JournalTables {
    /// Rule 7 is enforced three times: the service's role may not change rows, a trigger refuses changes by any role,
    /// also in a session that replicates (`ENABLE ALWAYS`), and a statement that inserts an unbalanced entry fails as a
    /// whole. The audit finds what was switched off or granted.
    static let sql = """
        \(Migrator(schema: LedgerSchema.name, migrations: []).roleSQL(LedgerSchema.serviceRole))

        CREATE TABLE facts (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            disposition text NOT NULL CHECK (disposition IN ('applied', 'parked', 'refused', 'unreadable')),
            key bytea,
            headers bytea NOT NULL,
            value bytea NOT NULL,
            event_id uuid,
            event_type text,
            order_id uuid,
            source text,
            occurred_at timestamptz,
            stream text,
            stream_sequence bigint,
            reader smallint NOT NULL,
            rules smallint NOT NULL,
            layout smallint NOT NULL,
            hash bytea NOT NULL CHECK (length(hash) = 32),
            recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, "offset"));
        COMMENT ON TABLE facts IS 'Every record of the journal topic but known duplicates, byte for byte, chained';
        COMMENT ON COLUMN facts.reader IS 'Version of the code that read and folded the record';
        COMMENT ON COLUMN facts.rules IS 'Version of the posting rules';
        COMMENT ON COLUMN facts.layout IS 'Version of the bytes that the chain hashes';
        -- An order's facts, and each of them once. Orders are named by time: rows are added near the index's end.
        CREATE UNIQUE INDEX facts_event ON facts (partition, order_id, event_id) WHERE \(isTaken);

        CREATE TABLE entries (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            entry smallint NOT NULL,
            line smallint NOT NULL,
            kind text NOT NULL,
            cause uuid NOT NULL,
            occurred_at timestamptz NOT NULL,
            order_id uuid NOT NULL,
            payment_id uuid NOT NULL,
            merchant_id uuid NOT NULL,
            rules smallint NOT NULL,
            account text NOT NULL,
            currency text NOT NULL,
            amount bigint NOT NULL CHECK (amount <> 0),
            PRIMARY KEY (partition, "offset", entry, line));
        COMMENT ON TABLE entries IS 'What the facts posted: the lines of each entry sum to nothing';
        COMMENT ON COLUMN entries.amount IS 'Minor units; debit positive, credit negative';

        CREATE TABLE faults (
            partition integer NOT NULL,
            "offset" bigint NOT NULL,
            fault smallint NOT NULL,
            source_offset bigint NOT NULL,
            subject text NOT NULL,
            code text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (partition, "offset", fault));
        COMMENT ON TABLE faults IS 'Records that are not in the books, and why';
        COMMENT ON COLUMN faults.subject IS 'What the books lack by it: money, order, unknown, stranger';

        CREATE TABLE chain_heads (
            partition integer PRIMARY KEY,
            rows bigint NOT NULL CHECK (rows >= 0),
            duplicates bigint NOT NULL CHECK (duplicates >= 0),
            last_offset bigint,
            head bytea NOT NULL CHECK (length(head) = 32)) WITH (fillfactor = 50);
        COMMENT ON TABLE chain_heads IS 'How many rows a partition has, the newest one, and the head of its chain';

        CREATE FUNCTION refuse_unbalanced() RETURNS trigger LANGUAGE plpgsql
            SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            wrong record;
        BEGIN
            SELECT partition, "offset", entry INTO wrong FROM inserted
                GROUP BY partition, "offset", entry HAVING sum(amount) <> 0 OR min(currency) <> max(currency) LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'entry P%@%/% does not balance', wrong.partition, wrong."offset", wrong.entry
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_balance';
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER entries_balance AFTER INSERT ON entries REFERENCING NEW TABLE AS inserted
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced();
        ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_balance;

        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
            SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            RAISE EXCEPTION 'rows of % are never changed: correct them by a new entry', TG_TABLE_NAME
                USING ERRCODE = 'insufficient_privilege';
        END $$;
        CREATE TRIGGER facts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON facts
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        ALTER TABLE facts ENABLE ALWAYS TRIGGER facts_append_only;
        CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only;
        CREATE TRIGGER faults_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON faults
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        ALTER TABLE faults ENABLE ALWAYS TRIGGER faults_append_only;

        GRANT SELECT, INSERT ON facts, entries, faults, chain_heads TO \(LedgerSchema.serviceRole);
        GRANT UPDATE (rows, duplicates, last_offset, head) ON chain_heads TO \(LedgerSchema.serviceRole);
        """

    /// New rows keep their record packed, but for a very long one; rows of before keep it as it came.
    static let packedSQL = """
        ALTER TABLE facts ADD COLUMN record bytea,
            ALTER COLUMN headers DROP NOT NULL, ALTER COLUMN value DROP NOT NULL,
            -- Not valid: the rows that are there need no look, of which there may be very many.
            ADD CONSTRAINT facts_record CHECK (CASE WHEN record IS NULL THEN headers IS NOT NULL AND value IS NOT NULL
                ELSE key IS NULL AND headers IS NULL AND value IS NULL END) NOT VALID;
        COMMENT ON TABLE facts IS 'Every record of the journal topic but known duplicates, chained';
        COMMENT ON COLUMN facts.record IS 'Key, headers and value, packed; order-ledger records shows them';
        COMMENT ON COLUMN facts.value IS 'With key and headers: a very long record, or one of before records were packed';
        """

    /// Whether a row of `facts` is in the books.
    static let isTaken = "disposition IN ('applied', 'parked')"

    /// The journal tables. The service may only insert and read there.
    static let appendOnly = ["entries", "facts", "faults"]
    /// All of them.
    static let names = appendOnly + ["chain_heads"]
}
