import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Brings a partition of a database that has lost its last transactions up to what the log says, and marks the end of
/// the log it reads: a record below the mark without an effect may have had one that is lost (rule 8).
///
/// It may be repeated and run by several instances at once: it locks the partition's watermark, and known events change
/// nothing.
public struct PartitionRecovery: Sendable {
    let inbox: Inbox
    let outbox: Outbox
    /// The topics that the outbox writes to.
    let topics: [Topic]
    let database: PostgresPool
    let admin: KafkaAdmin
    let reader: KafkaReader
    let group: String
    let state: (any RecoveredState)?
    let logger: Logger
    private let contradictions: Counter

    public init(
        inbox: Inbox, outbox: Outbox, topics: [Topic], database: PostgresPool, admin: KafkaAdmin, reader: KafkaReader,
        group: String, state: (any RecoveredState)? = nil, logger: Logger, metrics: MetricsRegistry
    ) {
        self.inbox = inbox
        self.outbox = outbox
        self.topics = topics
        self.database = database
        self.admin = admin
        self.reader = reader
        self.group = group
        self.state = state
        self.logger = logger.scoped(to: "recovery")
        contradictions = metrics.counter(
            "orchard_recovery_contradictions_total",
            help: "Events that the log holds with another content than this database.")
    }

    /// What a recovery found and did.
    public struct Report: Hashable, Sendable {
        /// Our own events that the log held and that the database did not know to be published.
        public var events = 0
        /// Below this offset, commands without effect are suspect.
        public var mark: Int64 = 0
        /// Streams of dead letters that could not be brought up, and why: their relay goes on, or reports what to do.
        public var left: [String] = []
    }

    /// - Parameter isRestored: whether an operator confirms that the service continues with this restored database.
    /// - Returns: nil when there was nothing to recover.
    /// - Throws: `InboxError` when an operator must decide first; `KafkaError`, `PostgresError`, ``RelayError``.
    public func recover(_ partition: Int32, isRestored: Bool = false) async throws -> Report? {
        try await recover(partition, as: isRestored ? .restored : .promoted)
    }

    /// The kind of recovery.
    enum Cause {
        /// A standby was promoted: no operator is needed.
        case promoted
        /// The partition was just recovered, and its last batches reached the log afterwards.
        case withLateEvents
        /// A restored database: an operator decides that it goes on.
        case restored
    }

    func recover(_ partition: Int32, as cause: Cause) async throws -> Report? {
        let situation = try await situation(of: partition)
        switch situation.need {
        case .nothing:
            // A restored database is restored as a whole: an intent leaves no trace in the log.
            guard cause != .promoted, situation.watermark != nil else { return nil }
        case .promotion: break
        case .person where cause == .restored: break
        case .person:
            throw inbox.error(
                .databaseChanged,
                "the database was restored from an older state, or is another one. Run "
                    + "`\(inbox.recoverCommand)`", partition)
        }
        logger.warning("the partition is brought up to the log", ["partition": "\(partition)"])
        var report = Report()
        for topic in topics {
            let stream = TopicPartition(topic.name, partition)
            do {
                if cause != .promoted { try await forgetOffset(of: stream, always: situation.isAnotherLog) }
                report.events += try await bringUp(stream)
            } catch  where topic.isForDeadLetters && Self.isOfKafka(error) {
                // No charge and no fact depends on it: it delays nothing.
                logger.warning(
                    "a stream of dead letters is not brought up", ["stream": "\(stream)", "error": "\(error)"])
                report.left.append("\(stream): \(error)")
            }
        }
        report.mark = try await goOn(from: situation)
        logger.notice(
            "the partition goes on",
            ["partition": "\(partition)", "events": "\(report.events)", "mark": "\(report.mark)"])
        return report
    }

    /// What is known of a partition now.
    public func situation(of partition: Int32) async throws -> RecoverySituation {
        let own = TopicPartition(inbox.topic, partition)
        // Another instance may continue meanwhile. It commits an offset to the group only after the database has it,
        // and the log has a record before the database has it. So they are read in this order.
        let committed = try await admin.committedOffsets(group: group, of: [own])[own]
        let clusterID = try await admin.clusterID()
        let (watermark, server) = try await database.withConnection { connection in
            (
                try await inbox.watermarks(on: connection)[partition],
                try await DatabaseServer.current(of: inbox.schema, on: connection)
            )
        }
        let ends = try await admin.watermarks(own)
        return RecoverySituation(
            partition: partition, watermark: watermark, server: server, clusterID: clusterID, low: ends.low,
            high: ends.high, committed: committed, isLastThere: try await isLastThere(watermark, in: own, ends))
    }

    /// Whether the log has the last record that this database processed; nil when it is not known.
    func isLastThere(
        _ watermark: Watermark?, in partition: TopicPartition, _ ends: Watermarks
    ) async throws -> Bool? {
        try await watermark?.last?.isThere(in: partition, ends, reader)
    }

    static func isOfKafka(_ error: any Error) -> Bool { error is KafkaError || error is RelayError }

    /// Our own events in the log after the last one that the database knew when `head` was read.
    ///
    /// - Parameter body: called with each part of them, in order.
    private func unknown(
        in stream: TopicPartition, behind head: StreamHead?,
        _ body: @escaping @Sendable ([PublishedEvent]) async throws -> Void
    ) async throws {
        let log = try await reader.watermarks(stream)
        do throws(StreamCheck.Refusal) {
            try StreamCheck.permit(stream, head: head, log: log, newest: nil, recover: inbox.recoverCommand)
        } catch { throw RelayError(error.reason) }
        _ = try await reader.read(
            stream, from: StreamCheck.firstUnknown(head: head, log: log), to: log.high, limit: 500
        ) { [outbox] records in
            let events = records.compactMap { PublishedEvent($0, of: outbox.stream) }
            if !events.isEmpty { try await body(events) }
        }
    }

    /// How many of our own events in the journal have numbers that this database has not given: 0 unless the database
    /// has lost them. The relays compare the other streams, so that a stream without a leader delays nothing here.
    func eventsAhead(of partition: Int32) async throws -> Int {
        let stream = TopicPartition(Topic.journal.name, partition)
        return try await eventsAhead(in: stream, behind: head(of: stream))
    }

    /// The state of each stream of the partition's outbox.
    func streams(of partition: Int32) async throws -> [StreamSituation] {
        var streams: [StreamSituation] = []
        for topic in topics {
            let stream = TopicPartition(topic.name, partition)
            do {
                streams.append(.compared(events: try await eventsAhead(in: stream, behind: head(of: stream))))
            } catch  where Self.isOfKafka(error) {
                streams.append(.notCompared("\(stream): \(error)"))
            }
        }
        return streams
    }

    /// - Parameter head: the state of the database before the log is read.
    func eventsAhead(in stream: TopicPartition, behind head: StreamHead?) async throws -> Int {
        let ahead = Locked<[Int64]>([])
        try await unknown(in: stream, behind: head) { events in
            ahead.withLock { $0 += events.map(\.sequence).filter { $0 > head?.sequence ?? 0 } }
        }
        let numbers = ahead.withLock { $0 }
        guard !numbers.isEmpty else { return 0 }
        // Another instance may have published meanwhile. It committed its numbers before it sent, so a database that
        // has lost nothing knows them now.
        let given = try await self.head(of: stream)?.sequence ?? 0
        return numbers.count { $0 > given }
    }

    func head(of stream: TopicPartition) async throws -> StreamHead? {
        try await database.withConnection { try await outbox.head(of: stream, on: $0) }
    }

    /// Another log has our records at other offsets, so it is read from its beginning.
    ///
    /// - Parameter always: also when this log is long enough to be the one that acknowledged them.
    private func forgetOffset(of stream: TopicPartition, always: Bool) async throws {
        let log = try await reader.watermarks(stream)
        guard let head = try await head(of: stream), always || head.isOf(another: log) else { return }
        try await database.withConnection { connection in
            try await connection.execute(
                "UPDATE \(outbox.schema).outbox_streams SET last_offset = NULL WHERE partition = $1 AND topic = $2",
                [stream.partition, stream.topic])
        }
    }

    private func bringUp(_ stream: TopicPartition) async throws -> Int {
        let count = Locked(0)
        try await unknown(in: stream, behind: head(of: stream)) { events in
            let others = try await database.withTransaction { connection in
                try await holdOthers(stream.partition, on: connection)
                try await state?.restore(events, of: stream, on: connection)
                return try await outbox.recover(stream, published: events, on: connection)
            }
            count.withLock { $0 += events.count }
            for event in others {
                contradictions.increment()
                logger.critical(
                    "ALARM: the log holds an event with another content than this database; the log decides",
                    ["stream": "\(stream)", "event": event])
            }
        }
        return count.withLock { $0 }
    }

    /// Locks the partition's watermark until the end of the transaction: one recovery at a time.
    private func holdOthers(_ partition: Int32, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            "SELECT 1 FROM \(inbox.schema).inbox_watermarks WHERE topic = $1 AND partition = $2 FOR UPDATE",
            [inbox.topic, partition])
    }

    /// The last transaction sets the mark. After it, the partition is processed again.
    private func goOn(from situation: RecoverySituation) async throws -> Int64 {
        let partition = situation.partition
        let isReadAnew = situation.isAnotherLog && state?.namesOffsets != true
        let begin = isReadAnew ? situation.low : situation.watermark?.nextOffset ?? situation.low
        let end = try await admin.watermarks(TopicPartition(inbox.topic, partition)).high
        let mark = situation.mark(to: end, isReadAnew: isReadAnew)
        try await database.withTransaction { connection in
            try await holdOthers(partition, on: connection)
            // Another instance was faster.
            guard try await inbox.watermarks(on: connection)[partition] == situation.watermark else { return }
            try await state?.suspect(situation, on: connection)
            try await connection.execute(
                """
                INSERT INTO \(inbox.schema).inbox_watermarks AS w
                    (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects, mark)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset,
                    cluster_id = excluded.cluster_id, system_identifier = excluded.system_identifier,
                    timeline = excluded.timeline, objects = excluded.objects,
                    last_offset = CASE WHEN $9 THEN NULL ELSE w.last_offset END,
                    last_digest = CASE WHEN $9 THEN NULL ELSE w.last_digest END,
                    mark = excluded.mark, refusal = NULL,
                    updated_at = clock_timestamp()
                """,
                [
                    inbox.topic, partition, begin, situation.clusterID, situation.server.identifier,
                    situation.server.timeline, situation.server.objects, mark,
                    situation.isAnotherLog,
                ])
            try await connection.execute(
                """
                INSERT INTO \(inbox.schema).inbox_recoveries (topic, partition, next_offset, mark, former_server, server)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    inbox.topic, partition, begin, mark,
                    situation.watermark?.server.description, situation.server.description,
                ])
        }
        return mark
    }
}
