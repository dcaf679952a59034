import KafkaBridge
import OrchardServiceKit

/// Publishes the events of one stream (a topic's partition), batch by batch.
///
/// A round is check, number, send, settle. The process may end between any two of them. What was numbered but not sent
/// is sent later under the same numbers. What was sent but not settled is sent twice under the same numbers.
struct StreamPublisher {
    let stream: TopicPartition
    let producer: KafkaProducer
    let reader: KafkaReader
    let options: OutboxRelay.Options
    let searches: LogSearches
    private(set) var session: RelaySession
    private var isChecked = false
    /// Numbered and not settled.
    private(set) var batch: StreamBatch?
    /// Whether the session's database has the batch.
    private var isBatchKnown = true
    /// The offsets of the batch's records that Kafka has acknowledged.
    private var delivered: [Int: Int64] = [:]

    init(
        _ stream: TopicPartition, session: RelaySession, producer: KafkaProducer, reader: KafkaReader,
        options: OutboxRelay.Options, searches: LogSearches
    ) {
        self.stream = stream
        self.session = session
        self.producer = producer
        self.reader = reader
        self.options = options
        self.searches = searches
    }

    /// After a round that published something: whether the database had no next batch when the last one was deleted.
    var isSettled: Bool { batch == nil && isBatchKnown }

    /// Goes on with another session. The batch stays if the database still has it: a promoted standby may not have its
    /// numbers.
    mutating func goOn(with session: RelaySession) {
        guard session.connection !== self.session.connection else { return }
        self.session = session
        isChecked = false
        isBatchKnown = false
    }

    /// Publishes the next batch.
    ///
    /// - Parameter waiting: called with the reason while Kafka does not answer for a while.
    /// - Returns: how many events were published; 0 when none wait.
    /// - Throws: ``StreamCheck/Refusal`` when nothing may be published; `KafkaError`, after which the same batch is tried
    ///   again; `PostgresError`, ``RelayError``.
    mutating func round(waiting: @escaping @Sendable (String) -> Void = { _ in }) async throws -> Int {
        try await check(waiting)
        guard let batch = try await number() else { return 0 }
        try await send(waiting)
        try await settle()
        return batch.records.count
    }

    /// Compares the stream with the log, before the session gives its first number. It works in chunks, so that other
    /// streams are not delayed, and starts where the last search ended.
    mutating func check(_ waiting: @Sendable (String) -> Void = { _ in }) async throws {
        guard !isChecked else { return }
        let head = try await session.head(stream)
        let log = try await reader.watermarks(stream)
        let recover = session.outbox.recoverCommand
        try StreamCheck.permit(stream, head: head, log: log, newest: nil, recover: recover)
        let first = StreamCheck.firstUnknown(head: head, log: log)
        var look = searches[stream] ?? LogSearch(next: first)
        // Another log is searched from its beginning.
        if look.next > log.high { look = LogSearch(next: first) }
        look.next = min(max(look.next, first), log.high)
        let begin = ContinuousClock.now
        while look.next < log.high {
            let end = min(look.next + options.searchChunk, log.high)
            let found = Locked(look)
            let name = session.outbox.stream
            _ = try await reader.read(stream, from: look.next, to: end) { records in
                found.withLock { $0.add(records, of: name) }
            }
            look = found.withLock { $0 }
            look.next = end
            searches[stream] = look
            if ContinuousClock.now - begin > options.reportAfter {
                waiting("searches the log for its last number, at offset \(end) of \(log.high)")
            }
        }
        try StreamCheck.permit(stream, head: head, log: log, newest: look.newest, recover: recover)
        isChecked = true
    }

    /// The batch to send, its numbers committed.
    mutating func number() async throws -> StreamBatch? {
        guard batch == nil || !isBatchKnown else { return batch }
        let stored = try await session.number(stream, limit: options.batchSize)
        if stored?.first != batch?.first || stored?.records.map(\.row.eventID) != batch?.records.map(\.row.eventID) {
            batch = stored
            delivered = [:]
        }
        isBatchKnown = true
        return batch
    }

    /// Sends what is not acknowledged of the batch.
    ///
    /// - Throws: the first `KafkaError`; what was acknowledged is not sent again by this publisher.
    mutating func send(_ waiting: @escaping @Sendable (String) -> Void = { _ in }) async throws {
        guard let batch else { return }
        let open = batch.records.indices.filter { delivered[$0] == nil }
        let results = await deliver(
            open.map { batch.records[$0].message(stream: session.outbox.stream) }, waiting)
        var failure: KafkaError?
        for (index, result) in zip(open, results) {
            switch result {
            case .success(let delivery): delivered[index] = delivery.offset
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Deletes the events of the batch, and numbers the next.
    mutating func settle() async throws {
        guard let batch, let newest = delivered.values.max() else { return }
        self.batch = try await session.settle(
            batch, of: stream, acknowledged: newest, thenNumber: options.batchSize)
        delivered = [:]
    }

    private func deliver(
        _ messages: [KafkaMessage], _ waiting: @escaping @Sendable (String) -> Void
    ) async -> [Result<Delivery, KafkaError>] {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [options] in
                guard (try? await Task.sleep(for: options.reportAfter)) != nil else { return }
                waiting("Kafka does not take events: no acknowledgement for \(options.reportAfter)")
            }
            defer { group.cancelAll() }
            return await producer.deliver(messages)
        }
    }
}
