import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// The relay's work on one session: claims partitions and publishes what waits in them, round by round.
///
/// A round is claim, load, check, number, send, mark. It may die between any two of them: what was numbered is sent
/// again with the same number, what was sent and not marked is sent twice with the same number.
struct RelayRound {
    let session: RelaySession
    let producer: KafkaProducer
    let reader: KafkaReader
    let options: OutboxRelay.Options
    /// Partitions whose lock this session holds.
    private(set) var held: Set<Int32> = []
    /// Partitions that must not be published to: why, and when they are looked at again.
    private(set) var refused: [Int32: Refusal] = [:]
    private var heads: [TopicPartition: StreamHead] = [:]
    private var checked: Set<TopicPartition> = []
    private var nextClaim: ContinuousClock.Instant = .now

    init(session: RelaySession, producer: KafkaProducer, reader: KafkaReader, options: OutboxRelay.Options) {
        self.session = session
        self.producer = producer
        self.reader = reader
        self.options = options
    }

    struct Refusal {
        let reason: String
        let retryAt: ContinuousClock.Instant
    }

    /// What a round did.
    struct Outcome {
        var published = 0
        var failure: KafkaError?
        /// Partitions that were refused in this round, unless they were for the same reason.
        var refused: [(partition: Int32, reason: String)] = []
    }

    /// - Parameter isLast: whether to look for partitions to claim even if that was done just now.
    mutating func run(isLast: Bool = false) async throws -> Outcome {
        var outcome = Outcome()
        if isLast { nextClaim = .now }
        try await claim()
        let rows = try await check(try await load(), &outcome)
        guard !rows.isEmpty else { return outcome }
        let plan = try await number(rows)
        let (delivered, failure) = await send(plan)
        try await session.mark(delivered)
        remember(delivered)
        outcome.published = delivered.count
        outcome.failure = failure
        return outcome
    }

    /// Takes the locks of partitions that have work and no relay; now and then, because most are somebody's.
    mutating func claim() async throws {
        guard ContinuousClock.now >= nextClaim else { return }
        nextClaim = .now + options.claimInterval
        let waiting = try await session.waitingPartitions()
        refused = refused.filter { waiting.contains($0.key) }
        let wanted = waiting.filter { !held.contains($0) && (refused[$0]?.retryAt ?? .now) <= .now }
        guard !wanted.isEmpty else { return }
        for partition in try await session.lock(wanted) {
            held.insert(partition)
            checked = checked.filter { $0.partition != partition }
            heads.merge(try await session.heads(partition)) { _, new in new }
        }
    }

    func load() async throws -> [PendingRow] {
        guard !held.isEmpty else { return [] }
        return try await session.load(held.sorted(), limit: options.batchSize)
    }

    /// Compares each stream that this session writes to for the first time with the log, and gives up the partition of
    /// one that must not be written to.
    mutating func check(_ rows: [PendingRow], _ outcome: inout Outcome) async throws -> [PendingRow] {
        for stream in Set(rows.map(\.stream)).subtracting(checked).sorted() where held.contains(stream.partition) {
            let head = heads[stream]
            let log = try await reader.watermarks(stream)
            do throws(StreamCheck.Refusal) {
                try StreamCheck.permit(stream, head: head, log: log, newest: nil)
            } catch {
                try await refuse(stream.partition, error.reason, &outcome)
                continue
            }
            let newest = try await newestNumber(in: stream, from: StreamCheck.firstUnknown(head: head, log: log))
            do throws(StreamCheck.Refusal) {
                try StreamCheck.permit(stream, head: head, log: log, newest: newest)
                checked.insert(stream)
                refused[stream.partition] = nil
            } catch {
                try await refuse(stream.partition, error.reason, &outcome)
            }
        }
        return rows.filter { held.contains($0.row.partition) }
    }

    mutating func number(_ rows: [PendingRow]) async throws -> RelayPlan {
        let plan = RelayPlan(rows, after: heads)
        try await session.number(plan, after: heads)
        heads.merge(plan.moved) { old, new in StreamHead(sequence: new.sequence, offset: old.offset) }
        return plan
    }

    func send(
        _ plan: RelayPlan
    ) async -> (delivered: [(record: RelayPlan.Record, offset: Int64)], failure: KafkaError?) {
        let results = await producer.deliver(plan.records.map { $0.message(stream: session.outbox.stream) })
        var delivered: [(record: RelayPlan.Record, offset: Int64)] = []
        var failure: KafkaError?
        for (record, result) in zip(plan.records, results) {
            switch result {
            case .success(let delivery): delivered.append((record, delivery.offset))
            case .failure(let error): failure = failure ?? error
            }
        }
        return (delivered, failure)
    }

    private mutating func remember(_ delivered: [(record: RelayPlan.Record, offset: Int64)]) {
        for (record, offset) in delivered {
            let stream = TopicPartition(record.row.topic, record.row.partition)
            let former = heads[stream]?.offset ?? offset
            heads[stream]?.offset = max(offset, former)
        }
    }

    private mutating func refuse(_ partition: Int32, _ reason: String, _ outcome: inout Outcome) async throws {
        if refused[partition]?.reason != reason { outcome.refused.append((partition, reason)) }
        refused[partition] = Refusal(reason: reason, retryAt: .now + options.refusalInterval)
        held.remove(partition)
        try await session.unlock(partition)
    }

    /// The highest number of our stream from an offset on; what others wrote there is skipped.
    private func newestNumber(in partition: TopicPartition, from offset: Int64) async throws -> Int64? {
        let newest = Locked<Int64?>(nil)
        let stream = session.outbox.stream
        _ = try await reader.read(partition, from: offset) { records in
            let numbers = records.compactMap { record -> Int64? in
                guard record.headers.contains(where: { $0.name == "ce_stream" && $0.text == stream }) else {
                    return nil
                }
                return record.headers.first { $0.name == "ce_streamseq" }?.text.flatMap { Int64($0) }
            }
            newest.withLock { $0 = max($0 ?? 0, numbers.max() ?? 0) }
        }
        return newest.withLock { $0 }
    }
}
