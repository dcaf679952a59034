/// Consecutive records of one partition, handed out to be processed.
public struct PartitionBatch: Sendable {
    /// Where the records come from.
    public let topicPartition: TopicPartition
    /// Counts the times that partitions were assigned to this member: what belongs to an earlier one is stale.
    public let generation: Int
    /// The records in the order of their offsets, one at least.
    public let records: [KafkaRecord]
    /// Where reading stood before the batch: all below was processed, or was there before the member began. At most
    /// ``firstOffset``.
    public let startOffset: Int64

    init(topicPartition: TopicPartition, generation: Int, records: [KafkaRecord], startOffset: Int64) {
        precondition(!records.isEmpty, "a batch holds a record")
        self.topicPartition = topicPartition
        self.generation = generation
        self.records = records
        self.startOffset = startOffset
    }

    /// The offset of the first record.
    public var firstOffset: Int64 { records[0].offset }
    /// The offset to go on from when the batch is processed: that of the last record, and one.
    public var nextOffset: Int64 { records[records.count - 1].offset + 1 }
}

/// One time that one partition is owned: the work on it, and a stamp that distinguishes it from the next time.
struct PartitionAssignment: Hashable, Sendable {
    var partition: TopicPartition
    var generation: Int
}
