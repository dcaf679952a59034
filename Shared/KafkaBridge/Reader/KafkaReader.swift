import CRDKafka
import OrchardServiceKit

/// Reads partitions without a group: what was last written, or everything from an offset on. Commits nothing.
///
/// Reading blocks a thread of its own. One read of a partition at a time; others of it wait their turn. A query for the
/// ends of a partition does not wait, so that a partition without a leader delays no other.
public actor KafkaReader {
    private let executor: ThreadExecutor
    private nonisolated let handle: ClientHandle
    private let logger: Logger
    private nonisolated let timeout: Duration
    private var records: RecordReader
    /// Those who wait for their turn at a partition that is being read.
    private var waiting: [TopicPartition: [CheckedContinuation<Void, Never>]] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter timeout: how long to wait for an answer, or for the next records, before giving up.
    /// - Throws: ``KafkaError/Code-swift.struct/invalidConfiguration``; never because a broker is down.
    public init(
        _ configuration: KafkaConfiguration, timeout: Duration = .seconds(10), logger: Logger
    ) throws(KafkaError) {
        let settings = connectionSettings.merging([
            "enable.partition.eof": "true", "auto.offset.reset": "error",
            // What is read is there already. A broker waits only behind the end, and the next reading waits for that answer.
            "fetch.wait.max.ms": "5", "queued.min.messages": "100000", "queued.max.messages.kbytes": "16384",
        ]) { own, _ in own }
        executor = ThreadExecutor(name: "kafka-reader")
        do {
            handle = try ClientHandle(
                .reader, configuration, settings: settings, events: RD_KAFKA_EVENT_FETCH, logger: logger)
        } catch {
            executor.finish {}
            throw error
        }
        records = RecordReader(handle.names)
        self.logger = logger
        self.timeout = timeout
        executor.tick(every: .seconds(1)) { [handle] in handle.drainLog(to: logger) }
    }

    deinit {
        executor.finish { [handle] in handle.destroy() }
    }

    /// The ends of a partition's log, as its leader knows them now.
    public nonisolated func watermarks(_ partition: TopicPartition) async throws(KafkaError) -> Watermarks {
        try await BlockingCall.run(named: "kafka-ends") { [self] () throws(KafkaError) in
            // The call keeps the actor, and so its client, until it has ended.
            try withExtendedLifetime(self) { () throws(KafkaError) in
                try handle.watermarks(partition, milliseconds: Int32(clamping: timeout.milliseconds))
            }
        }
    }

    /// The last record of a partition, `nil` when it holds none.
    public func lastRecord(of partition: TopicPartition) async throws(KafkaError) -> KafkaRecord? {
        let ends = try await watermarks(partition)
        await acquire(partition)
        defer { release(partition) }
        // The last offsets may be holes (compaction, transaction markers): search further back, each time much further.
        var isReachable: Int64 = 1
        while true {
            let start = max(ends.low, ends.high - isReachable)
            var last: KafkaRecord?
            guard start < ends.high else { return nil }
            var scan = try PartitionScan(handle, partition, from: start, to: ends.high)
            while let batch = try scan.next(&records, limit: 1000, timeout: timeout, logger: logger) {
                last = batch.last ?? last
            }
            if last != nil || start == ends.low { return last }
            isReachable *= 32
        }
    }

    /// The first record of a partition that lies at an offset or behind it, `nil` when none does yet.
    public func firstRecord(of partition: TopicPartition, from offset: Int64) async throws(KafkaError) -> KafkaRecord? {
        let ends = try await watermarks(partition)
        let start = max(ends.low, offset)
        guard start < ends.high else { return nil }
        await acquire(partition)
        defer { release(partition) }
        var scan = try PartitionScan(handle, partition, from: start, to: ends.high)
        // What lies there may be holes (compaction, transaction markers), and batches empty.
        while let batch = try scan.next(&records, limit: 1, timeout: timeout, logger: logger) {
            if let first = batch.first { return first }
        }
        return nil
    }

    /// Reads a range of a partition in batches, in order.
    ///
    /// - Parameters:
    ///   - start: the first offset; it must still be in the log.
    ///   - end: the offset to stop before; without it the end of the log as it is now.
    ///   - limit: the most records of a batch.
    ///   - body: called with each batch, never an empty one.
    /// - Returns: the end, below which everything was read.
    /// - Throws: ``KafkaError/Code-swift.struct/offsetOutOfRange`` when the log does not hold the range (the reason
    ///   names what it holds), `CancellationError`, or what `body` throws.
    @discardableResult
    public func read(
        _ partition: TopicPartition, from start: Int64 = 0, to end: Int64? = nil, limit: Int = 1000,
        _ body: @Sendable ([KafkaRecord]) async throws -> Void
    ) async throws -> Int64 {
        let ends = try await watermarks(partition)
        let end = end ?? ends.high
        guard start < end else { return end }
        guard start >= ends.low, end <= ends.high else {
            throw KafkaError(
                .offsetOutOfRange,
                "\(partition) holds offsets \(ends.low) to \(ends.high - 1); \(start) to \(end - 1) were asked for")
        }
        await acquire(partition)
        defer { release(partition) }
        try Task.checkCancellation()
        var scan = try PartitionScan(handle, partition, from: start, to: end)
        while let batch = try scan.next(&records, limit: limit, timeout: timeout, logger: logger) {
            if !batch.isEmpty { try await body(batch) }
            try Task.checkCancellation()
        }
        return end
    }

    /// Waits until no task reads the partition: the actor is free while a batch is with its reader, and a client of
    /// librdkafka that begins to read a partition anew ends the reading before.
    private func acquire(_ partition: TopicPartition) async {
        guard waiting[partition] != nil else { return waiting[partition] = [] }
        await withCheckedContinuation { waiting[partition]?.append($0) }
    }

    private func release(_ partition: TopicPartition) {
        guard waiting[partition]?.isEmpty == false else { return waiting[partition] = nil }
        waiting[partition]?.removeFirst().resume()
    }
}
