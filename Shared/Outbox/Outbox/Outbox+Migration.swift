extension Outbox {
    /// The tables, for a migration of the service.
    ///
    /// The service's role inserts events and reads; numbers and deletions go through functions of the owner's, so that
    /// no event can leave the table unnumbered: an unpublished event is still there, a removed one leaves a gap in its
    /// stream, and no number is given twice.
    ///
    /// `position` is one counter for all partitions of a server, and yet ties none together: only rows of one stream
    /// are ever compared by it, and its gaps mean nothing. A counter of each partition instead would be a row that
    /// every writing transaction of the partition locks until its commit. Before a partition is moved to another
    /// server, the relay must publish what waits.
    ///
    /// - Parameters:
    ///   - schema: the service's schema.
    ///   - role: the service's role, which is granted what insertion and relay need; it must exist.
    public static func migrationSQL(schema: String, role: String) -> String {
        """
        \(tables(schema))

        \(functions(schema))

        \(recoverySQL(schema: schema, role: role))

        \(Write.countSQL(schema: schema, role: role))

        GRANT SELECT, INSERT ON \(schema).outbox TO \(role);
        GRANT SELECT ON \(schema).outbox_batches, \(schema).outbox_streams TO \(role);
        GRANT UPDATE (last_offset) ON \(schema).outbox_streams TO \(role);
        GRANT EXECUTE ON FUNCTION \(schema).outbox_number(integer, text, integer) TO \(role);
        GRANT EXECUTE ON FUNCTION \(schema).outbox_settle(integer, text, bigint, bigint) TO \(role);
        """
    }

    private static func tables(_ schema: String) -> String {
        """
        CREATE TABLE \(schema).outbox (
            partition integer NOT NULL CHECK (partition >= 0),
            event_id text NOT NULL,
            topic text NOT NULL,
            position bigint GENERATED ALWAYS AS IDENTITY,
            key bytea NOT NULL,
            headers text NOT NULL,
            value bytea NOT NULL,
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (partition, event_id));
        -- A queue: rows come and go, so that what is dead must be swept by number and not by share.
        ALTER TABLE \(schema).outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
        CREATE INDEX outbox_waiting ON \(schema).outbox (partition, topic, position);
        COMMENT ON TABLE \(schema).outbox IS 'Events that Kafka has not acknowledged yet; they go when it has';
        COMMENT ON COLUMN \(schema).outbox.position IS
            'Orders the rows of a stream (topic and partition) as they were written; its gaps mean nothing';

        CREATE TABLE \(schema).outbox_streams (
            partition integer NOT NULL,
            topic text NOT NULL,
            last_sequence bigint NOT NULL CHECK (last_sequence > 0),
            last_offset bigint,
            PRIMARY KEY (partition, topic)) WITH (fillfactor = 50);
        COMMENT ON TABLE \(schema).outbox_streams IS 'The numbers given to the events of each stream';
        COMMENT ON COLUMN \(schema).outbox_streams.last_offset IS
            'Where Kafka acknowledged the newest record; null before the first acknowledgement';

        -- Committed before anything is sent; whoever goes on after a crash sends the same under the same numbers.
        CREATE TABLE \(schema).outbox_batches (
            partition integer NOT NULL,
            topic text NOT NULL,
            first_sequence bigint NOT NULL CHECK (first_sequence > 0),
            event_ids text[] NOT NULL CHECK (cardinality(event_ids) > 0),
            numbered_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
            PRIMARY KEY (partition, topic)) WITH (fillfactor = 50);
        COMMENT ON TABLE \(schema).outbox_batches IS
            'The events of a stream that are under way, in order: the first has the number first_sequence, the next one more';
        """
    }

    private static func functions(_ schema: String) -> String {
        """
        CREATE FUNCTION \(schema).outbox_streams_only_grow() RETURNS trigger LANGUAGE plpgsql
            SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF NEW.last_sequence < OLD.last_sequence OR NEW.partition <> OLD.partition OR NEW.topic <> OLD.topic THEN
                RAISE EXCEPTION 'a number that was given is never given again';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER outbox_streams_only_grow BEFORE UPDATE ON \(schema).outbox_streams
            FOR EACH ROW EXECUTE FUNCTION \(schema).outbox_streams_only_grow();
        ALTER TABLE \(schema).outbox_streams ENABLE ALWAYS TRIGGER outbox_streams_only_grow;

        -- Numbers the oldest events of a stream as its next batch, unless one is under way; the batch's first number, or
        -- null when nothing waits.
        CREATE FUNCTION \(schema).outbox_number(of_partition integer, of_topic text, at_most integer) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            ids text[];
            first bigint;
        BEGIN
            SELECT first_sequence INTO first FROM \(schema).outbox_batches
                WHERE partition = of_partition AND topic = of_topic;
            IF FOUND THEN
                RETURN first;
            END IF;
            SELECT array_agg(event_id ORDER BY position) INTO ids FROM (
                SELECT event_id, position FROM \(schema).outbox
                WHERE partition = of_partition AND topic = of_topic ORDER BY position LIMIT at_most) AS next;
            IF ids IS NULL THEN
                RETURN NULL;
            END IF;
            INSERT INTO \(schema).outbox_streams AS s (partition, topic, last_sequence)
                VALUES (of_partition, of_topic, cardinality(ids))
                ON CONFLICT (partition, topic) DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence
                RETURNING s.last_sequence - cardinality(ids) + 1 INTO first;
            INSERT INTO \(schema).outbox_batches (partition, topic, first_sequence, event_ids)
                VALUES (of_partition, of_topic, first, ids);
            RETURN first;
        END $$;

        -- Deletes a batch that Kafka has acknowledged, and its events; how many they were, 0 when somebody else did it.
        CREATE FUNCTION \(schema).outbox_settle(of_partition integer, of_topic text, first bigint, acknowledged bigint)
            RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            ids text[];
            numberer xid8;
            removed integer;
        BEGIN
            DELETE FROM \(schema).outbox_batches
                WHERE partition = of_partition AND topic = of_topic AND first_sequence = first
                RETURNING event_ids, numbered_by INTO ids, numberer;
            IF NOT FOUND THEN
                RETURN 0;
            END IF;
            IF numberer = pg_current_xact_id() THEN
                RAISE EXCEPTION 'numbers are committed before their events are sent';
            END IF;
            DELETE FROM \(schema).outbox WHERE partition = of_partition AND event_id = ANY (ids);
            GET DIAGNOSTICS removed = ROW_COUNT;
            IF removed <> cardinality(ids) THEN
                RAISE EXCEPTION 'events of the batch % of %/% are missing', first, of_topic, of_partition;
            END IF;
            UPDATE \(schema).outbox_streams SET last_offset = greatest(last_offset, acknowledged)
                WHERE partition = of_partition AND topic = of_topic;
            RETURN removed;
        END $$;
        REVOKE EXECUTE ON FUNCTION \(schema).outbox_number(integer, text, integer),
            \(schema).outbox_settle(integer, text, bigint, bigint) FROM PUBLIC;
        """
    }
}
