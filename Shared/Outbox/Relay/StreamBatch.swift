import KafkaBridge

/// Events of a stream whose numbers are committed. They are sent, and sent again after a crash.
struct StreamBatch: Sendable {
    /// An event with its number.
    struct Record: Sendable {
        let row: OutboxRow
        let sequence: Int64
    }

    /// The number of the first record; it identifies the batch in its stream.
    let first: Int64
    /// In the order of their numbers; at least one.
    let records: [Record]
}

extension StreamBatch.Record {
    /// The record that is sent to Kafka.
    func message(stream: String) -> KafkaMessage {
        let headers =
            row.headers + [("ce_stream", stream), ("ce_streamseq", String(sequence))]
        return KafkaMessage(
            topic: row.topic, partition: row.partition, key: row.key, value: row.value,
            headers: headers.map { KafkaHeader($0.name, $0.value) })
    }
}
