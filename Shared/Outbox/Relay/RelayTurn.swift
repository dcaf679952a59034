import KafkaBridge
import OrchardPostgres

/// What a stream's task wants of the relay's session: to delete a batch that Kafka has acknowledged, and the next batch.
///
/// Turns of several streams that have gathered while the session was busy are one transaction.
struct RelayTurn: Sendable {
    let stream: TopicPartition
    /// The number of the first event of a batch to delete, and the offset of its newest record.
    var acknowledged: (first: Int64, offset: Int64)?
    /// The most events of the next batch.
    let limit: Int

    /// The most events of all turns of a transaction. It stays open until they are read, and a process may freeze then.
    private static let mostEvents = 1_000

    /// Performs turns of different streams.
    ///
    /// - Returns: of each turn its stream's next batch, nil when nothing waits, or why it cannot be published.
    static func perform(
        _ turns: [RelayTurn], in schema: String, on connection: PostgresConnection
    ) async throws -> [Result<StreamBatch?, any Error>] {
        // In one order, as all that lock several rows.
        let sorted = turns.sorted { $0.stream < $1.stream }
        let settling = sorted.compactMap { turn in turn.acknowledged.map { (turn.stream, $0.first, $0.offset) } }
        let settlement =
            settling.isEmpty
            ? []
            : [
                PostgresStatement(
                    """
                    SELECT \(schema).outbox_settle(s.partition, s.topic, s.first, s.acknowledged)
                    FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[]) AS s(partition, topic, first, acknowledged)
                    """, [settling.map(\.0.partition), settling.map(\.0.topic), settling.map(\.1), settling.map(\.2)])
            ]
        let share = max(1, mostEvents / max(1, turns.count))
        let streams: [any PostgresEncodable] = [sorted.map(\.stream.partition), sorted.map(\.stream.topic)]
        let results = try await connection.pipeline(
            settlement + [
                PostgresStatement(
                    """
                    SELECT s.partition, s.topic, \(schema).outbox_number(s.partition, s.topic, s.at_most) AS first
                    FROM unnest($1::integer[], $2::text[], $3::integer[]) AS s(partition, topic, at_most)
                    """, streams + [sorted.map { Int32(clamping: min($0.limit, share)) }]),
                PostgresStatement(
                    """
                    SELECT b.partition, b.topic, cardinality(b.event_ids) AS count, e.event_id, o.key, o.headers, o.value
                    FROM unnest($1::integer[], $2::text[]) AS s(of_partition, of_topic)
                        CROSS JOIN LATERAL (SELECT partition, topic, event_ids FROM \(schema).outbox_batches
                            WHERE partition = s.of_partition AND topic = s.of_topic OFFSET 0) AS b
                        CROSS JOIN unnest(b.event_ids) WITH ORDINALITY AS e(event_id, ordinal)
                        CROSS JOIN LATERAL (SELECT key, headers, value FROM \(schema).outbox
                            WHERE partition = b.partition AND event_id = e.event_id OFFSET 0) AS o
                    ORDER BY b.partition, b.topic, e.ordinal
                    """, streams),
            ])
        let numbers = try rows(of: results[settlement.count])
        let events = try rows(of: results[settlement.count + 1])
        return turns.map { turn in
            Result { try batch(of: turn.stream, numbers[turn.stream]?.first, events[turn.stream] ?? []) }
        }
    }

    private static func rows(of result: PostgresResult) throws -> [TopicPartition: [PostgresRow]] {
        try result.rows.reduce(into: [:]) { rows, row in
            rows[TopicPartition(try row.string("topic"), try row.int32("partition")), default: []].append(row)
        }
    }

    private static func batch(
        of stream: TopicPartition, _ number: PostgresRow?, _ events: [PostgresRow]
    ) throws -> StreamBatch? {
        guard let number, try number.optionalInt64("first") != nil else { return nil }
        let first = try number.count("first")
        var records: [StreamBatch.Record] = []
        for row in events {
            records.append(
                StreamBatch.Record(
                    row: OutboxRow(
                        partition: stream.partition, topic: stream.topic, eventID: try row.string("event_id"),
                        key: try row.bytes("key"), headers: OutboxRow.headers(fromLines: try row.string("headers")),
                        value: try row.bytes("value")), sequence: first + Int64(records.count)))
        }
        guard let count = try events.first?.int32("count"), Int(count) == records.count else {
            throw RelayError("events of the batch from \(first) on are missing: another process removed them")
        }
        return StreamBatch(first: first, records: records)
    }
}
