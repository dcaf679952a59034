/// The records of a lane that wait for its handler; bounded by pausing the partition.
struct RecordBuffer {
    enum Flow: Equatable { case unchanged, pause, resume }

    private var records: [KafkaRecord] = []
    private var removed = 0
    private(set) var bytes = 0
    private(set) var isPaused = false
    /// The offset after the last record that came.
    private(set) var nextOffset: Int64?

    var count: Int { records.count - removed }

    /// Adds a record. One below the place that was reached is dropped: a fetch that was under way when the partition was
    /// paused may bring it twice.
    mutating func append(_ record: KafkaRecord) {
        if let nextOffset, record.offset < nextOffset { return }
        records.append(record)
        bytes += record.size
        nextOffset = record.offset + 1
    }

    /// The oldest records, `limit` at most.
    mutating func removeFirst(_ limit: Int) -> [KafkaRecord] {
        let end = min(records.count, removed + limit)
        let batch = Array(records[removed..<end])
        for record in batch { bytes -= record.size }
        removed = end
        // Moves the rest down only when most of the array is used up.
        if removed * 2 >= records.count {
            records.removeFirst(removed)
            removed = 0
        }
        return batch
    }

    /// Whether the partition should be paused or resumed; returned once.
    ///
    /// Call it when the queue is drained, and not for each record: a pause throws away what librdkafka has fetched.
    ///
    /// - Parameters:
    ///   - share: the bytes that may wait here. The partition comes again while a quarter is left, so that its handler does
    ///     not wait for it.
    ///   - mayPause: false while the handler may still make room.
    mutating func regulate(share: Int, mayPause: Bool = true) -> Flow {
        if !isPaused, bytes > share, mayPause {
            isPaused = true
            return .pause
        }
        if isPaused, bytes < share / 4 {
            isPaused = false
            return .resume
        }
        return .unchanged
    }
}

extension KafkaRecord {
    /// About what the record costs in memory.
    fileprivate var size: Int {
        value.count + (key?.count ?? 0) + packedHeaders.fields.count + 64
    }
}
