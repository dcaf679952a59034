import KafkaBridge
import OrchardPostgres

extension Outbox {
    /// Brings a stream up to records that the log holds: their events are removed, and their numbers count as given.
    ///
    /// - Parameters:
    ///   - published: the records of the log in their order, all of one stream.
    ///   - connection: in a transaction that holds the partition's watermark.
    /// - Returns: the events that wait here with another content than was told.
    /// - Throws: ``RelayError`` when a number was given to another event than the log has under it; `PostgresError`.
    func recover(
        _ stream: TopicPartition, published: [PublishedEvent], on connection: PostgresConnection
    ) async throws -> [String] {
        guard let last = published.last else { return [] }
        let rows = try await connection.query(
            """
            SELECT o.event_id, o.value, b.first_sequence, array_position(b.event_ids, o.event_id) AS place
            FROM \(schema).outbox AS o
                LEFT JOIN \(schema).outbox_batches AS b ON b.partition = o.partition AND b.topic = o.topic
            WHERE o.partition = $1 AND o.topic = $2 AND o.event_id = ANY ($3)
            """, [stream.partition, stream.topic, published.map(\.eventID)])
        var others: [String] = []
        for row in rows {
            let id = try row.string("event_id")
            guard let published = published.first(where: { $0.eventID == id }) else { continue }
            if try row.bytes("value") != published.value { others.append(id) }
            if let first = try row.optionalInt64("first_sequence"), let place = try row.optionalInt32("place"),
                first &+ Int64(place) &- 1 != published.sequence
            {
                throw RelayError(
                    "\(stream) holds event \(id) under number \(published.sequence), but this database gave it "
                        + "\(first &+ Int64(place) &- 1): they have gone on side by side. A person must decide which is right"
                )
            }
        }
        try await connection.execute(
            "SELECT \(schema).outbox_recover($1, $2, $3, $4, $5)",
            [stream.partition, stream.topic, published.map(\.eventID), last.sequence, last.offset])
        return others
    }

    /// The function that removes events that are in the log already, for a migration of the service.
    static func recoverySQL(schema: String, role: String) -> String {
        """
        -- Takes out the events that the log holds up to a number, and never gives that number again. A batch of which the
        -- log holds a part stays, and is sent again under its numbers. An event without a number can only be taken out for
        -- a number that is new here: whoever makes one up leaves a gap in the stream.
        CREATE FUNCTION \(schema).outbox_recover(
            of_partition integer, of_topic text, ids text[], last bigint, acknowledged bigint)
            RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            finished text[];
            under_way text[];
            given bigint;
            removed bigint;
        BEGIN
            SELECT last_sequence INTO given FROM \(schema).outbox_streams
                WHERE partition = of_partition AND topic = of_topic FOR UPDATE;
            DELETE FROM \(schema).outbox_batches
                WHERE partition = of_partition AND topic = of_topic AND first_sequence + cardinality(event_ids) - 1 <= last
                RETURNING event_ids INTO finished;
            SELECT event_ids INTO under_way FROM \(schema).outbox_batches
                WHERE partition = of_partition AND topic = of_topic;
            DELETE FROM \(schema).outbox WHERE partition = of_partition AND event_id = ANY (finished);
            DELETE FROM \(schema).outbox WHERE partition = of_partition AND topic = of_topic AND event_id = ANY (ids)
                AND NOT event_id = ANY (coalesce(under_way, '{}'));
            GET DIAGNOSTICS removed = ROW_COUNT;
            IF removed > greatest(last - coalesce(given, 0), 0) THEN
                RAISE EXCEPTION 'events without a number are not in the log under numbers that were given here';
            END IF;
            INSERT INTO \(schema).outbox_streams AS s (partition, topic, last_sequence, last_offset)
                VALUES (of_partition, of_topic, last, acknowledged)
                ON CONFLICT (partition, topic) DO UPDATE SET
                    last_sequence = greatest(s.last_sequence, excluded.last_sequence),
                    last_offset = greatest(s.last_offset, excluded.last_offset);
        END $$;
        REVOKE EXECUTE ON FUNCTION \(schema).outbox_recover(integer, text, text[], bigint, bigint) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION \(schema).outbox_recover(integer, text, text[], bigint, bigint) TO \(role);
        """
    }
}
