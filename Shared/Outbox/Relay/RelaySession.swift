import KafkaBridge
import OrchardPostgres

/// The relay's own connection to the database. It holds the partitions' advisory locks, and everything that only their
/// holder may do is done on it: when it dies, the locks and the right to give numbers are gone together.
struct RelaySession: Sendable {
    let outbox: Outbox
    let connection: PostgresConnection

    /// How long the session may be silent before the server ends it. A relay says something each second; one that is
    /// stopped or hangs (SIGSTOP, a frozen machine) must not hold its locks for ever.
    static let patience = Duration.seconds(10)

    static func open(
        _ outbox: Outbox, _ configuration: PostgresConfiguration, patience: Duration = patience
    ) async throws -> RelaySession {
        let connection = try await PostgresConnection.connect(configuration)
        try await connection.execute("SET idle_session_timeout = '\(patience.components.seconds)s'")
        try await connection.execute("LISTEN \(outbox.channel)")
        return RelaySession(outbox: outbox, connection: connection)
    }

    /// The partitions that have unpublished rows. (A recursive query steps from one to the next in the index.)
    func waitingPartitions() async throws(PostgresError) -> [Int32] {
        let rows = try await connection.query(
            """
            WITH RECURSIVE waiting AS (
                (SELECT partition FROM \(outbox.schema).outbox WHERE published_at IS NULL ORDER BY partition LIMIT 1)
                UNION ALL
                SELECT (SELECT partition FROM \(outbox.schema).outbox
                    WHERE published_at IS NULL AND partition > waiting.partition ORDER BY partition LIMIT 1)
                FROM waiting WHERE waiting.partition IS NOT NULL)
            SELECT partition FROM waiting WHERE partition IS NOT NULL
            """)
        return try rows.map { (row) throws(PostgresError) in try row.int32("partition") }
    }

    /// Takes the locks of partitions that nobody holds.
    func lock(_ partitions: [Int32]) async throws(PostgresError) -> [Int32] {
        let rows = try await connection.query(
            """
            SELECT partition, pg_try_advisory_lock(\(lockKey)) AS locked FROM unnest($1) AS partition
            """, [partitions, lockName])
        var locked: [Int32] = []
        for row in rows where try row.bool("locked") { locked.append(try row.int32("partition")) }
        return locked
    }

    func unlock(_ partition: Int32) async throws(PostgresError) {
        try await connection.execute(
            "SELECT pg_advisory_unlock(\(lockKey)) FROM unnest($1) AS partition", [[partition], lockName])
    }

    private var lockKey: String { "hashtextextended($2 || partition::text, 0)" }
    private var lockName: String { "orchard.outbox.\(outbox.schema)." }

    /// The heads of a partition's streams.
    func heads(_ partition: Int32) async throws(PostgresError) -> [TopicPartition: StreamHead] {
        let rows = try await connection.query(
            "SELECT topic, last_sequence, last_offset FROM \(outbox.schema).outbox_streams WHERE partition = $1",
            [partition])
        var heads: [TopicPartition: StreamHead] = [:]
        for row in rows {
            heads[TopicPartition(try row.string("topic"), partition)] = StreamHead(
                sequence: try row.int64("last_sequence"), offset: try row.optionalInt64("last_offset"))
        }
        return heads
    }

    /// Unpublished rows, at most `limit` a partition: those with a number first, in its order.
    func load(_ partitions: [Int32], limit: Int) async throws(PostgresError) -> [PendingRow] {
        let rows = try await connection.query(
            """
            SELECT waiting.* FROM unnest($1) AS held CROSS JOIN LATERAL (
                SELECT partition, event_id, topic, key, headers, value, stream_sequence
                FROM \(outbox.schema).outbox WHERE partition = held AND published_at IS NULL
                ORDER BY stream_sequence, position LIMIT $2) AS waiting
            """, [partitions, Int64(limit)])
        return try rows.map { (row) throws(PostgresError) in
            PendingRow(
                row: OutboxRow(
                    partition: try row.int32("partition"), topic: try row.string("topic"),
                    eventID: try row.string("event_id"), key: try row.bytes("key"),
                    headers: OutboxRow.headers(fromLines: try row.string("headers")), value: try row.bytes("value")),
                sequence: try row.optionalInt64("stream_sequence"))
        }
    }

    /// Commits the new numbers of a plan; only then may its records be sent.
    func number(_ plan: RelayPlan, after heads: [TopicPartition: StreamHead]) async throws {
        guard !plan.assigned.isEmpty else { return }
        let old = plan.moved.filter { heads[$0.key] != nil }.sorted { $0.key < $1.key }
        let new = plan.moved.filter { heads[$0.key] == nil }.sorted { $0.key < $1.key }
        try await connection.transaction { connection in
            let results = try await connection.pipeline([
                PostgresStatement(
                    """
                    UPDATE \(outbox.schema).outbox AS o SET stream_sequence = n.sequence
                    FROM unnest($1, $2, $3) AS n(partition, event_id, sequence)
                    WHERE o.partition = n.partition AND o.event_id = n.event_id AND o.stream_sequence IS NULL
                    """,
                    [
                        plan.assigned.map(\.row.partition), plan.assigned.map(\.row.eventID),
                        plan.assigned.map(\.sequence),
                    ]),
                PostgresStatement(
                    """
                    UPDATE \(outbox.schema).outbox_streams AS s SET last_sequence = n.sequence
                    FROM unnest($1, $2, $3, $4) AS n(partition, topic, former, sequence)
                    WHERE s.partition = n.partition AND s.topic = n.topic AND s.last_sequence = n.former
                    """,
                    [
                        old.map(\.key.partition), old.map(\.key.topic), old.map { heads[$0.key]?.sequence ?? 0 },
                        old.map(\.value.sequence),
                    ]),
                PostgresStatement(
                    """
                    INSERT INTO \(outbox.schema).outbox_streams (partition, topic, last_sequence)
                    SELECT * FROM unnest($1, $2, $3)
                    """, [new.map(\.key.partition), new.map(\.key.topic), new.map(\.value.sequence)]),
            ])
            guard results.map(\.affectedRows) == [plan.assigned.count, old.count, new.count] else {
                throw RelayError(
                    "the numbers of \(outbox.schema).outbox were changed by somebody else while this relay held the lock"
                )
            }
        }
    }

    /// Marks what Kafka acknowledged.
    func mark(_ delivered: [(record: RelayPlan.Record, offset: Int64)]) async throws(PostgresError) {
        guard !delivered.isEmpty else { return }
        var newest: [TopicPartition: Int64] = [:]
        for (record, offset) in delivered {
            let stream = TopicPartition(record.row.topic, record.row.partition)
            newest[stream] = max(offset, newest[stream] ?? offset)
        }
        let streams = newest.sorted { $0.key < $1.key }
        _ = try await connection.pipeline([
            PostgresStatement(
                """
                UPDATE \(outbox.schema).outbox AS o SET published_at = clock_timestamp()
                FROM unnest($1, $2) AS n(partition, event_id)
                WHERE o.partition = n.partition AND o.event_id = n.event_id
                """, [delivered.map(\.record.row.partition), delivered.map(\.record.row.eventID)]),
            PostgresStatement(
                """
                UPDATE \(outbox.schema).outbox_streams AS s SET last_offset = greatest(s.last_offset, n.newest)
                FROM unnest($1, $2, $3) AS n(partition, topic, newest)
                WHERE s.partition = n.partition AND s.topic = n.topic
                """, [streams.map(\.key.partition), streams.map(\.key.topic), streams.map(\.value)]),
        ])
    }

    /// Removes a bounded number of rows that were published long ago.
    func prune(_ partitions: [Int32], olderThan age: Duration, limit: Int) async throws(PostgresError) -> Int {
        try await connection.execute(
            """
            DELETE FROM \(outbox.schema).outbox AS o USING (
                SELECT partition, event_id FROM \(outbox.schema).outbox
                WHERE partition = ANY ($1) AND published_at < clock_timestamp() - make_interval(secs => $2) LIMIT $3) AS old
            WHERE o.partition = old.partition AND o.event_id = old.event_id
            """, [partitions, Double(age.components.seconds), Int64(limit)])
    }
}
