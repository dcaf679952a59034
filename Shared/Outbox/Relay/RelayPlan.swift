import KafkaBridge

/// A row that is not published yet.
struct PendingRow: Sendable {
    let row: OutboxRow
    /// Given by an earlier round whose record was perhaps sent, or nil.
    let sequence: Int64?

    var stream: TopicPartition { TopicPartition(row.topic, row.partition) }
}

/// Numbers the rows of a round; pure.
struct RelayPlan {
    struct Record {
        let row: OutboxRow
        let sequence: Int64
    }

    /// Everything to be sent, in order.
    private(set) var records: [Record] = []
    /// Those among them whose numbers are new.
    private(set) var assigned: [Record] = []
    /// The heads after this round, of the streams that got numbers.
    private(set) var moved: [TopicPartition: StreamHead] = [:]

    /// - Parameters:
    ///   - rows: of each partition those with a number first, in its order, then the others as they were written.
    ///   - heads: the highest numbers given.
    init(_ rows: [PendingRow], after heads: [TopicPartition: StreamHead]) {
        for pending in rows {
            let stream = pending.stream
            if let sequence = pending.sequence {
                precondition(moved[stream] == nil, "rows with a number come first")
                precondition(sequence <= heads[stream]?.sequence ?? 0, "a number was given that the head does not know")
                records.append(Record(row: pending.row, sequence: sequence))
                continue
            }
            var head = moved[stream] ?? heads[stream] ?? StreamHead(sequence: 0)
            head.sequence += 1
            moved[stream] = head
            let record = Record(row: pending.row, sequence: head.sequence)
            records.append(record)
            assigned.append(record)
        }
    }
}

extension RelayPlan.Record {
    /// The record as it goes to Kafka.
    func message(stream: String) -> KafkaMessage {
        let headers =
            row.headers + [("ce_stream", stream), ("ce_streamseq", String(sequence))]
        return KafkaMessage(
            topic: row.topic, partition: row.partition, key: row.key, value: row.value,
            headers: headers.map { KafkaHeader($0.name, $0.value) })
    }
}
