import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// The relay's own connection to the database. It holds the streams' advisory locks, and does everything that only
/// their holder may do: when it ends, the locks and the right to give numbers end together.
struct RelaySession: Sendable {
    let outbox: Outbox
    let connection: PostgresConnection
    /// The connection does one thing at a time: what the streams want meanwhile is its next transaction.
    private let turns = InputGroups<TopicPartition, RelayTurn, Result<StreamBatch?, any Error>>(
        GroupLimits(groups: 1, size: 32))

    init(outbox: Outbox, connection: PostgresConnection) {
        self.outbox = outbox
        self.connection = connection
    }

    /// How long the session may be silent before the server ends it. A relay sends a statement every few seconds. One
    /// that is stopped or hangs (SIGSTOP, a frozen machine) must not hold its locks for ever.
    static let idleTimeout = Duration.seconds(10)

    static func open(
        _ outbox: Outbox, _ configuration: PostgresConfiguration, idleTimeout: Duration = idleTimeout
    ) async throws(PostgresError) -> RelaySession {
        let connection = try await PostgresConnection.connect(configuration)
        try await connection.execute("SET idle_session_timeout = '\(idleTimeout.components.seconds)s'")
        return RelaySession(outbox: outbox, connection: connection)
    }

    /// Restarts its time-out.
    func keepAlive() async throws(PostgresError) { try await connection.execute("SELECT 1") }

    /// Wakes the relays of other processes. It runs outside the events' transactions: a NOTIFY holds a lock of the
    /// whole cluster until its commit, and one NOTIFY serves many transactions.
    ///
    /// - Parameter streams: those that got events.
    func wakeOthers(_ streams: Set<TopicPartition>) async throws(PostgresError) {
        try await connection.execute("SELECT pg_notify($1, $2)", [outbox.channel, StreamNames.text(streams)])
    }

    /// The streams that have events. (A recursive query steps from one to the next in the index.)
    func waitingStreams() async throws(PostgresError) -> Set<TopicPartition> {
        let rows = try await connection.query(
            """
            WITH RECURSIVE waiting AS (
                (SELECT partition, topic FROM \(outbox.schema).outbox ORDER BY partition, topic LIMIT 1)
                UNION ALL
                SELECT next.partition, next.topic FROM waiting CROSS JOIN LATERAL (
                    SELECT partition, topic FROM \(outbox.schema).outbox AS o
                    WHERE (o.partition, o.topic) > (waiting.partition, waiting.topic)
                    ORDER BY partition, topic LIMIT 1) AS next)
            SELECT partition, topic FROM waiting
            """)
        var streams: Set<TopicPartition> = []
        for row in rows {
            // A topic whose name is damaged reads as one that no event has. The event waits, and the age of the oldest event
            // tells of it.
            streams.insert(TopicPartition(row.comparableText("topic") ?? "", try row.int32("partition")))
        }
        return streams
    }

    /// Takes the free locks of streams.
    func lock(_ streams: [TopicPartition]) async throws(PostgresError) -> [TopicPartition] {
        guard !streams.isEmpty else { return [] }
        let rows = try await connection.query(
            """
            SELECT partition, topic,
                pg_try_advisory_lock(hashtextextended($3 || topic || '/' || partition::text, 0)) AS locked
            FROM unnest($1::integer[], $2::text[]) AS stream(partition, topic)
            """, [streams.map(\.partition), streams.map(\.topic), "orchard.outbox.\(outbox.schema)."])
        var locked: [TopicPartition] = []
        for row in rows where try row.bool("locked") {
            locked.append(TopicPartition(try row.string("topic"), try row.int32("partition")))
        }
        return locked
    }

    /// How far a stream has come; nil when it never got a number.
    func head(_ stream: TopicPartition) async throws(PostgresError) -> StreamHead? {
        try await outbox.head(of: stream, on: connection)
    }

    /// The batch in progress, or else a new one of at most `limit` events, numbered and committed.
    ///
    /// - Returns: nil when nothing waits.
    /// - Throws: ``RelayError`` when events of the batch are gone; `PostgresError`.
    func number(_ stream: TopicPartition, limit: Int) async throws -> StreamBatch? {
        try await perform(RelayTurn(stream: stream, limit: limit))
    }

    /// Deletes a batch that Kafka has acknowledged, and numbers the next in the same transaction.
    func settle(
        _ batch: StreamBatch, of stream: TopicPartition, acknowledged offset: Int64, thenNumber limit: Int
    ) async throws -> StreamBatch? {
        try await perform(RelayTurn(stream: stream, acknowledged: (batch.first, offset), limit: limit))
    }

    private func perform(_ turn: RelayTurn) async throws -> StreamBatch? {
        try await turns.perform(turn, of: turn.stream) { turns in
            try await RelayTurn.perform(turns, in: outbox.schema, on: connection)
        }.get()
    }
}

/// Why a stream cannot be published.
public struct RelayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found and what to do.
    public let reason: String
    public var description: String { reason }

    init(_ reason: String) { self.reason = reason }
}
