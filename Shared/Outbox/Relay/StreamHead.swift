import KafkaBridge
import OrchardPostgres

/// How far a stream has come in one partition of a topic, according to the database.
struct StreamHead: Hashable, Sendable {
    /// The highest number given.
    var sequence: Int64
    /// The offset at which Kafka acknowledged the newest record, if there was one.
    var offset: Int64?

    /// Whether the log ends before a record that it acknowledged: it has lost records, or the topic was recreated.
    func isOf(another log: Watermarks) -> Bool { offset.map { $0 >= log.high } ?? false }
}

extension Outbox {
    /// How far a stream has come; nil when it never got a number.
    func head(
        of stream: TopicPartition, on connection: PostgresConnection
    ) async throws(PostgresError) -> StreamHead? {
        let rows = try await connection.query(
            "SELECT last_sequence, last_offset FROM \(schema).outbox_streams WHERE partition = $1 AND topic = $2",
            [stream.partition, stream.topic])
        guard let row = rows.first else { return nil }
        return StreamHead(sequence: try row.int64("last_sequence"), offset: try row.optionalInt64("last_offset"))
    }
}
