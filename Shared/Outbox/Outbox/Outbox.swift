import OrchardPostgres

/// The table of a service that holds events until the relay has published them.
///
/// Events are written in the transaction of the effect they tell of, so that neither exists without the other. The
/// relay (``OutboxRelay``) numbers, sends and marks them.
public struct Outbox: Hashable, Sendable {
    /// The service's schema.
    public let schema: String
    /// `ce_stream`: names this outbox in every topic it writes to, for example `charge-gateway`.
    public let stream: String

    public init(schema: String, stream: String) {
        self.schema = schema
        self.stream = stream
    }

    /// Wakes the relay at commit.
    var channel: String { "\(schema)_outbox" }

    /// Adds events to the caller's transaction; those of one partition are published in this order.
    ///
    /// - Throws: `PostgresError`; a unique violation when an event id is there already.
    public func insert(_ rows: [OutboxRow], on connection: PostgresConnection) async throws(PostgresError) {
        guard !rows.isEmpty else { return }
        let results = try await connection.pipeline(insertion(of: rows))
        let count = results[0].affectedRows
        precondition(count == rows.count, "every event is a row of the outbox: \(count) of \(rows.count)")
    }

    /// The statements of ``insert(_:on:)``, to be sent in a pipeline with others; the first inserts as many rows as
    /// there are events.
    public func insertion(of rows: [OutboxRow]) -> [PostgresStatement] {
        [
            PostgresStatement(
                """
                INSERT INTO \(schema).outbox (partition, event_id, topic, key, headers, value)
                SELECT partition, event_id, topic, key, headers, value
                FROM unnest($1, $2, $3, $4, $5, $6) WITH ORDINALITY
                    AS new(partition, event_id, topic, key, headers, value, ordinal)
                ORDER BY ordinal
                """,
                [
                    rows.map(\.partition), rows.map(\.eventID), rows.map(\.topic), rows.map(\.key),
                    rows.map(\.headerLines), rows.map(\.value),
                ]),
            PostgresStatement("SELECT pg_notify($1, '')", [channel]),
        ]
    }

    /// The tables, for a migration of the service.
    ///
    /// `position` is one counter for all partitions of a server, and yet ties none together: only rows of one partition
    /// are ever compared by it, its gaps mean nothing, and what others see (`stream_sequence`) is counted for each
    /// partition. A counter of each partition instead would be a row that every writing transaction of the partition
    /// locks until its commit. Whoever moves a partition to another server lets the relay publish what waits first.
    ///
    /// - Parameters:
    ///   - schema: the service's schema.
    ///   - role: the service's role, which is granted what insertion and relay need; it must exist.
    public static func migrationSQL(schema: String, role: String) -> String {
        """
        CREATE TABLE \(schema).outbox (
            partition integer NOT NULL CHECK (partition >= 0),
            event_id text NOT NULL,
            -- Orders the rows of a partition as they were written; says nothing about gaps.
            position bigint GENERATED ALWAYS AS IDENTITY,
            topic text NOT NULL,
            key bytea NOT NULL,
            headers text NOT NULL,
            value bytea NOT NULL,
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            -- Without gaps in (topic, partition); given before the record is sent.
            stream_sequence bigint CHECK (stream_sequence > 0),
            published_at timestamptz CHECK (published_at IS NULL OR stream_sequence IS NOT NULL),
            PRIMARY KEY (partition, event_id));
        CREATE UNIQUE INDEX outbox_stream ON \(schema).outbox (partition, topic, stream_sequence)
            WHERE stream_sequence IS NOT NULL;
        CREATE INDEX outbox_unpublished ON \(schema).outbox (partition, stream_sequence, position)
            WHERE published_at IS NULL;
        CREATE INDEX outbox_published ON \(schema).outbox (partition, published_at) WHERE published_at IS NOT NULL;

        CREATE TABLE \(schema).outbox_streams (
            partition integer NOT NULL,
            topic text NOT NULL,
            last_sequence bigint NOT NULL CHECK (last_sequence > 0),
            -- Where Kafka acknowledged the newest record; null before the first acknowledgement.
            last_offset bigint,
            PRIMARY KEY (partition, topic)) WITH (fillfactor = 50);

        GRANT SELECT, INSERT, UPDATE, DELETE ON \(schema).outbox TO \(role);
        GRANT SELECT, INSERT, UPDATE ON \(schema).outbox_streams TO \(role);
        """
    }
}
