/// The records of a partition that wait for its handler; bounded by pausing the partition.
///
/// They are kept in the batches that the handler gets, so that a record is moved once.
struct RecordBuffer {
    enum Flow: Equatable { case unchanged, pause, resume }

    private struct Batch {
        var records: [KafkaRecord] = []
        var bytes = 0
    }

    /// The most records of a batch.
    private let batchLimit: Int
    /// The oldest first; each is full but the last.
    private var batches: [Batch] = []
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var isPaused = false
    /// The offset after the last record that came.
    private(set) var nextOffset: Int64?

    init(batchLimit: Int) { self.batchLimit = batchLimit }

    /// Adds a record. One below the place that was reached is dropped: a fetch that was under way when the partition was
    /// paused may bring it twice.
    mutating func append(_ record: consuming KafkaRecord) {
        if let nextOffset, record.offset < nextOffset { return }
        nextOffset = record.offset + 1
        if batches.last.map({ $0.records.count >= batchLimit }) ?? true { batches.append(Batch()) }
        let (last, size) = (batches.count - 1, record.size)
        batches[last].records.append(record)
        batches[last].bytes += size
        count += 1
        bytes += size
    }

    /// The oldest records, a batch at most.
    mutating func removeBatch() -> [KafkaRecord] {
        guard !batches.isEmpty else { return [] }
        let batch = batches.removeFirst()
        count -= batch.records.count
        bytes -= batch.bytes
        return batch.records
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
