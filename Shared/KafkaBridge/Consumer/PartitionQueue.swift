/// Where a partition's handler fetches its batches: the records that wait, and the handler when it waits.
///
/// A class: a look-up for each record would else copy it. It belongs to its consumer's actor.
final class PartitionQueue {
    let assignment: PartitionAssignment
    private let batchLimit: Int
    private var buffer: RecordBuffer
    private var waiter: CheckedContinuation<PartitionBatch?, Never>?
    private var start: Int64?
    /// Where the next batch goes on; nil before the first one when only the group knows where reading begins.
    private var position: Int64?
    /// Whether librdkafka reads from the start: what comes before that is of an earlier reading.
    private var isAssigned = false
    /// Since when librdkafka should read, and has said nothing: neither a record nor that it is at the end.
    private var silentSince: ContinuousClock.Instant?
    private let cancellation: AsyncStream<Never>.Continuation
    /// Since when the handler has worked on the same batch or on its start; nil while it has nothing to do.
    private(set) var busySince: ContinuousClock.Instant?
    private(set) var isFinished = false
    private(set) var isCancelled = false
    /// Whether the handler determines its position again before its next batch.
    private var asksAgain = false

    /// - Parameter batchLimit: the most records of a batch.
    init(assignment: PartitionAssignment, batchLimit: Int, cancellation: AsyncStream<Never>.Continuation) {
        self.assignment = assignment
        self.batchLimit = batchLimit
        buffer = RecordBuffer(batchLimit: batchLimit)
        self.cancellation = cancellation
        busySince = .now
    }

    /// Reading begins, for the first time or again: what came before comes anew.
    func begin(at offset: Int64) {
        start = offset
        position = offset >= 0 ? offset : nil
        isAssigned = false
        buffer = RecordBuffer(batchLimit: batchLimit)
        silentSince = nil
        busySince = nil
    }

    /// librdkafka has the position to read from.
    func assigned() {
        isAssigned = start != nil
        silentSince = isAssigned ? .now : nil
    }

    /// How often it was read anew, since nothing came.
    private(set) var attempts = 0

    /// A broker answers a first fetch in less, also when it has nothing. Twice as long after each time that partitions were
    /// read anew: first answers may be large, the network slow, and with the eager protocol all begin again.
    private static func longestSilence(after readings: Int) -> Duration {
        min(.seconds(5) * (1 << min(readings, 8)), .seconds(300))
    }

    /// It is read anew from where it stands.
    func readAgain() { attempts += 1 }

    /// Whether librdkafka should read, and has said nothing yet.
    var awaitsReading: Bool { silentSince != nil && !isFinished && !isPaused }

    /// Whether librdkafka has said nothing for long since reading began.
    ///
    /// - Parameters:
    ///   - now: when its queue was empty: what waits there is no silence.
    ///   - readings: how often partitions of the consumer were read anew since all were heard.
    func isSilent(at now: ContinuousClock.Instant, after readings: Int) -> Bool {
        guard awaitsReading, let silentSince else { return false }
        return now - silentSince > Self.longestSilence(after: readings)
    }

    /// librdkafka has read all there is.
    func reachedEnd() { if isAssigned { heard() } }

    /// librdkafka reads: a later silence is a new one.
    private func heard() {
        silentSince = nil
        attempts = 0
    }

    /// The offset to read next; nil before the start is known.
    var nextOffset: Int64? { buffer.nextOffset ?? start }

    /// Whether the partition is paused.
    var isPaused: Bool { buffer.isPaused }

    /// How many records wait for the handler.
    var count: Int { buffer.count }

    /// Adds a record that came.
    func append(_ record: consuming KafkaRecord) {
        guard !isFinished, isAssigned else { return }
        heard()
        buffer.append(record)
    }

    /// Whether the partition should be paused or resumed; returned once.
    func regulate(share: Int, mayPause: Bool) -> RecordBuffer.Flow {
        guard !isFinished else { return .unchanged }
        let flow = buffer.regulate(share: share, mayPause: mayPause)
        // The pause was no silence.
        if flow == .resume, silentSince != nil { silentSince = .now }
        return flow
    }

    /// Whether more waits than should, while more comes.
    func isAbove(share: Int) -> Bool { !isFinished && !buffer.isPaused && buffer.bytes > share }

    /// The next batch now, or `nil` when there is none yet.
    func next() -> PartitionBatch? {
        guard buffer.count > 0, !asksAgain else { return nil }
        busySince = .now
        let records = buffer.removeBatch()
        let batch = PartitionBatch(
            topicPartition: assignment.partition, generation: assignment.generation, records: records,
            startOffset: position ?? records[0].offset)
        position = batch.nextOffset
        return batch
    }

    func wait(_ continuation: CheckedContinuation<PartitionBatch?, Never>) {
        precondition(waiter == nil, "a partition has one handler")
        busySince = nil
        waiter = continuation
        if asksAgain { dismiss() }
    }

    /// Gives the waiting handler its batch, if there is one for it.
    func serve() {
        guard let waiter, let batch = next() else { return }
        self.waiter = nil
        waiter.resume(returning: batch)
    }

    /// The position may have changed: the handler determines its start again, also while no records come.
    func askAgain() {
        asksAgain = true
        dismiss()
    }

    /// Whether a handler that got no batch determines its start again.
    func takeAskAgain() -> Bool {
        defer { asksAgain = false }
        return asksAgain && !isFinished
    }

    /// Whether reading goes on at an offset without beginning again.
    func goesOn(at offset: Int64) -> Bool { position == offset }

    /// No more batches.
    func finish() {
        isFinished = true
        dismiss()
    }

    private func dismiss() {
        waiter?.resume(returning: nil)
        waiter = nil
    }

    /// Ends the running handler as well.
    func cancel() {
        finish()
        isCancelled = true
        cancellation.finish()
    }
}
