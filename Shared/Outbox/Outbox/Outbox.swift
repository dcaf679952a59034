import KafkaBridge
import OrchardPostgres

/// The table of a service that holds events until the relay has published them.
///
/// Events are written in the transaction of their effect, so that neither exists without the other: a row is inserted
/// once, and deleted once when Kafka has it. The relay (``OutboxRelay``) numbers, sends and deletes them.
public struct Outbox: Sendable {
    /// The service's schema.
    public let schema: String
    /// `ce_stream`: names this outbox in every topic it writes to, for example `charge-gateway`.
    public let stream: String
    /// Wakes the relays of this process.
    let signal = OutboxSignal()

    public init(schema: String, stream: String) {
        self.schema = schema
        self.stream = stream
    }

    /// The command that lets a refused stream continue; a stream has its program's name.
    var recoverCommand: String { "\(stream) recover --restored" }

    /// Wakes the relays of other processes.
    var channel: String { "\(schema)_outbox" }

    /// Adds events to the caller's transaction; those of one partition and topic are published in this order. The relay
    /// of this process is woken when the transaction is committed.
    ///
    /// - Throws: `PostgresError`; a unique violation when an event with this id already waits.
    public func insert(_ rows: [OutboxRow], on connection: PostgresConnection) async throws(PostgresError) {
        guard !rows.isEmpty else { return }
        let count = try await connection.pipeline([insertion(of: rows)])[0].affectedRows
        precondition(count == rows.count, "every event is a row of the outbox: \(count) of \(rows.count)")
        wake(for: rows, at: connection)
    }

    /// Performs writes and adds events, in one round trip.
    ///
    /// - Throws: ``StoreError`` `.miscounted`; as ``insert(_:on:)``.
    public func insert(_ rows: [OutboxRow], with writes: [Write], on connection: PostgresConnection) async throws {
        guard !rows.isEmpty else { return try await Write.perform(writes, on: connection) }
        let inserted = try await Write.perform(writes, reading: [insertion(of: rows)], on: connection)
        let count = inserted[0].affectedRows
        precondition(count == rows.count, "every event is a row of the outbox: \(count) of \(rows.count)")
        wake(for: rows, at: connection)
    }

    /// Performs writes, adds events and commits the caller's transaction, in one round trip. It must be the last call
    /// in the transaction's body.
    ///
    /// - Throws: `PostgresError`; a unique violation when an event with this id already waits.
    public func commit(_ rows: [OutboxRow], with writes: [Write], on connection: PostgresConnection) async throws {
        if !rows.isEmpty { wake(for: rows, at: connection) }
        let events = rows.isEmpty ? [] : [Write(insertion(of: rows), rows: rows.count)]
        try await Write.commit(events + writes, in: schema, on: connection)
    }

    /// The statement of ``insert(_:on:)``, to be sent in a pipeline with others. It inserts as many rows as there are
    /// events. Call ``wake(for:at:)`` afterwards.
    public func insertion(of rows: [OutboxRow]) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO \(schema).outbox (partition, event_id, topic, key, headers, value)
            SELECT partition, event_id, topic, key, headers, value
            FROM unnest($1::integer[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::bytea[]) WITH ORDINALITY
                AS new(partition, event_id, topic, key, headers, value, ordinal)
            ORDER BY ordinal
            """,
            [
                rows.map(\.partition), rows.map(\.eventID), rows.map(\.topic), rows.map(\.key),
                rows.map(\.headerLines), rows.map(\.value),
            ])
    }

    /// Wakes the relay when the connection's transaction is committed.
    public func wake(for rows: [OutboxRow], at connection: PostgresConnection) {
        let streams = Set(rows.map { TopicPartition($0.topic, $0.partition) })
        connection.onCommit { [signal] in signal.wake(streams) }
    }
}
