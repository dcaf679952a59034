/// Where a lane's handler fetches its batches: the mailbox, and the handler when it waits.
struct LaneDesk {
    let lane: Lane
    private var mailbox: Mailbox
    private var waiter: CheckedContinuation<PartitionBatch?, Never>?
    private let cancellation: AsyncStream<Never>.Continuation
    private(set) var isFinished = false
    private(set) var isCancelled = false

    init(lane: Lane, limits: Mailbox.Limits, cancellation: AsyncStream<Never>.Continuation) {
        self.lane = lane
        self.cancellation = cancellation
        mailbox = Mailbox(limits: limits)
    }

    /// The offset after the last record that came.
    var nextOffset: Int64? { mailbox.nextOffset }
    /// Whether a handler waits and there is something for it.
    var canServe: Bool { waiter != nil && mailbox.count > 0 }

    mutating func append(_ record: KafkaRecord) -> Mailbox.Flow {
        isFinished ? .unchanged : mailbox.append(record)
    }

    /// The next batch now, or `nil` when there is none yet.
    mutating func take(_ limit: Int) -> (batch: PartitionBatch?, flow: Mailbox.Flow) {
        guard mailbox.count > 0 else { return (nil, .unchanged) }
        let (records, flow) = mailbox.take(limit)
        let batch = PartitionBatch(topicPartition: lane.partition, generation: lane.generation, records: records)
        return (batch, flow)
    }

    mutating func wait(_ continuation: CheckedContinuation<PartitionBatch?, Never>) {
        precondition(waiter == nil, "a lane has one handler")
        waiter = continuation
    }

    mutating func serve(_ limit: Int) -> Mailbox.Flow {
        let (batch, flow) = take(limit)
        waiter?.resume(returning: batch)
        waiter = nil
        return flow
    }

    /// No more batches.
    mutating func finish() {
        isFinished = true
        waiter?.resume(returning: nil)
        waiter = nil
    }

    /// Ends the handler in hand as well.
    mutating func cancel() {
        finish()
        isCancelled = true
        cancellation.finish()
    }
}
