extension Inbox {
    /// The tables, for a migration of the service; they serve all its topics.
    ///
    /// - Parameters:
    ///   - schema: the service's schema.
    ///   - role: the service's role; it must exist.
    public static func migrationSQL(schema: String, role: String) -> String {
        """
        CREATE TABLE \(schema).inbox_watermarks (
            topic text NOT NULL,
            partition integer NOT NULL CHECK (partition >= 0),
            next_offset bigint NOT NULL CHECK (next_offset >= 0),
            count bigint NOT NULL DEFAULT 0,
            cluster_id text NOT NULL,
            system_identifier bigint NOT NULL,
            timeline text NOT NULL,
            objects text NOT NULL,
            mark bigint NOT NULL DEFAULT 0,
            last_offset bigint,
            last_digest bytea CHECK ((last_digest IS NULL) = (last_offset IS NULL)),
            refusal text,
            updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (topic, partition)) WITH (fillfactor = 50);
        COMMENT ON TABLE \(schema).inbox_watermarks IS 'How far each partition of a topic was taken into this database';
        COMMENT ON COLUMN \(schema).inbox_watermarks.next_offset IS 'The first offset that is not in the database';
        COMMENT ON COLUMN \(schema).inbox_watermarks.count IS 'Records taken since the beginning, duplicates included';
        COMMENT ON COLUMN \(schema).inbox_watermarks.objects IS
            'The object identifiers of database and table that wrote it: a restored dump has others';
        COMMENT ON COLUMN \(schema).inbox_watermarks.mark IS 'The end of the log at the last recovery: what lies below and '
            'left nothing here may have had an effect that was lost';
        COMMENT ON COLUMN \(schema).inbox_watermarks.last_offset IS
            'The last record taken, last_digest its hash: a log that holds another one there is another log';
        COMMENT ON COLUMN \(schema).inbox_watermarks.refusal IS 'Why the partition stands until `recover` is run';

        CREATE TABLE \(schema).inbox_losses (
            topic text NOT NULL,
            partition integer NOT NULL,
            first_offset bigint NOT NULL,
            end_offset bigint NOT NULL CHECK (end_offset > first_offset),
            found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (topic, partition, first_offset));
        COMMENT ON TABLE \(schema).inbox_losses IS 'Offsets that left a topic before they were read, the end not included';

        CREATE TABLE \(schema).inbox_recoveries (
            topic text NOT NULL,
            partition integer NOT NULL,
            recovered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            next_offset bigint NOT NULL,
            mark bigint NOT NULL,
            former_server text,
            server text NOT NULL,
            PRIMARY KEY (topic, partition, recovered_at));
        COMMENT ON TABLE \(schema).inbox_recoveries IS
            'Each time a partition went on from an older state: where, and from which server to which';

        GRANT SELECT, INSERT ON \(schema).inbox_watermarks, \(schema).inbox_losses, \(schema).inbox_recoveries TO \(role);
        GRANT UPDATE (next_offset, count, cluster_id, system_identifier, timeline, objects, mark, last_offset, last_digest,
            refusal, updated_at) ON \(schema).inbox_watermarks TO \(role);
        """
    }
}
