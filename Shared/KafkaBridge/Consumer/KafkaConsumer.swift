import CRDKafka
import OrchardServiceKit

/// A member of a consumer group that runs one handler at a time for each partition it owns.
///
/// The caller's database decides what is processed: ``RebalanceObserver/offsets(for:)`` says where each partition
/// begins, and the group's committed offsets only follow. They are committed after the handler has returned and before
/// a partition leaves; a handler that outlives its partition commits nothing.
public actor KafkaConsumer {
    enum Work {
        case assignment(PartitionAssignment, AsyncStream<Never>)
        case notifyObserver([TopicPartition], lost: Bool)
        case askForObstacle
    }

    let executor: ThreadExecutor
    let handle: ClientHandle
    let logger: Logger
    let options: Options
    let group: String
    let memberName: String?
    let topics: [String]
    let observer: any RebalanceObserver
    let report: @Sendable (Bool, String) -> Void
    let signal = QueueSignal()
    let gauges: ConsumerMetrics
    var machine: GroupMachine
    var queues: [TopicPartition: PartitionQueue] = [:]
    /// The queue of the record before: the next one is usually of the same partition, and needs no look-up then.
    var latest: PartitionQueue?
    /// The partitions that librdkafka pauses. It goes on to do so when they leave and come back.
    private var paused: Set<TopicPartition> = []
    var newWork: [Work] = []
    var reader: RecordReader
    var contact: BrokerContact
    var status = MemberStatus()
    var reported: String?
    var failure: KafkaError?
    var absence = MemberAbsence()
    /// Whether partitions have begun that were not given to librdkafka yet.
    var mustAssign = false
    var closing: ContinuousClock.Instant?
    private var nextMeasurement = ContinuousClock.now
    /// When librdkafka's queue was empty last: only then a partition of which nothing came is silent.
    private var drainedAt = ContinuousClock.now
    /// How often partitions were read anew since the last time that all were heard.
    var readings = 0
    /// Since when a partition has had more than its share waiting.
    private(set) var fullSince: ContinuousClock.Instant?
    var hasRun = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The first reason that `report` gets: nothing has failed yet.
    public static let firstReason = "waits for its share of the partitions"

    /// - Parameter report: called at each change: whether this member does its work, and why not.
    /// - Throws: ``KafkaError/Code-swift.struct/invalidConfiguration``; never because a broker is down.
    public init(
        _ configuration: KafkaConfiguration, group: String, topics: [String], observer: any RebalanceObserver,
        options: Options = Options(), logger: Logger, metrics: MetricsRegistry = MetricsRegistry(),
        report: @escaping @Sendable (_ isReady: Bool, _ reason: String) -> Void = { _, _ in }
    ) throws(KafkaError) {
        executor = ThreadExecutor(name: "kafka-consumer")
        do {
            handle = try ClientHandle(
                .consumer, configuration, settings: options.settings(group: group, member: configuration.memberName),
                events: RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT, logger: logger)
        } catch {
            executor.finish {}
            throw error
        }
        reader = RecordReader(handle.names)
        self.group = group
        memberName = configuration.memberName
        self.topics = topics
        self.observer = observer
        self.options = options
        self.logger = logger
        self.report = report
        gauges = ConsumerMetrics(metrics, group: group)
        machine = GroupMachine(timeouts: .init(handlers: options.handlerTimeout))
        contact = BrokerContact(configuration.bootstrapServers, logger: logger)
        let signal = signal
        handle.notify { signal.signal() }
        executor.tick(every: Self.pauseDelay) { signal.signal() }
    }

    deinit {
        executor.finish { [handle] in handle.destroy() }
    }

    /// Reads until the graceful shutdown. Then handlers finish their batches, these are committed, and the group is
    /// left.
    ///
    /// To be called once.
    /// - Parameter handler: processes a batch; one at a time for a partition, several partitions at once. When its
    ///   partition is lost, or it takes longer than the options allow, its task is cancelled. Its errors stop its
    ///   partition until it succeeds.
    /// - Throws: a fatal ``KafkaError``, after the group was left; `CancellationError`.
    public func run(perPartition handler: @escaping @Sendable (PartitionBatch) async throws -> Void) async throws {
        precondition(!hasRun, "a consumer runs once")
        hasRun = true
        try handle.subscribe(topics)
        let stop = StopRequest(signal)
        await stop.during {
            await withDiscardingTaskGroup { tasks in
                while !isDone {
                    turn(stop)
                    for work in newWork { tasks.addTask { await self.perform(work, handler) } }
                    newWork = []
                    await signal.wait()
                }
                for queue in queues.values { queue.cancel() }
                tasks.cancelAll()
            }
        }
        if let failure { throw failure }
        try Task.checkCancellation()
    }

    /// Asks the observer again for the position of a partition, also while no records come: its database may be an
    /// older one. A partition of another member is not touched.
    public func askAgain(_ partition: TopicPartition) {
        queues[partition]?.askAgain()
    }

    // MARK: One turn of the loop

    var isDone: Bool {
        guard let closing else { return false }
        if handle.isClosed, !machine.isRebalancing { return true }
        // A client that cannot go on does not close.
        if failure != nil, machine.isIdle { return true }
        guard ContinuousClock.now >= closing else { return false }
        logger.warning("the group was not left in time", ["group": group])
        return true
    }

    func turn(_ stop: StopRequest) {
        drain()
        perform(machine.tick(at: .now))
        if contact.shouldProbe(at: .now), handle.isReachable(milliseconds: 200) { contact.reached() }
        if stop.isImmediate { for queue in queues.values { queue.cancel() } }
        if closing == nil, stop.isRequested || failure != nil { close() }
        if closing == nil { monitorObstacles() }
        assignBegun()
        reportStatus()
        measure()
    }

    /// Serves the queue until it is empty: librdkafka reports only the change from empty to not empty.
    func drain() {
        pauseFullQueues()
        for _ in 0..<10_000 {
            // The rest waits in librdkafka's queue. A handler that takes a batch wakes the loop.
            guard fullSince == nil else { return serveQueues() }
            guard let event = handle.poll() else {
                drainedAt = .now
                return serveQueues()
            }
            switch event.type {
            case RD_KAFKA_EVENT_FETCH: while let message = event.nextMessage() { receive(message) }
            case RD_KAFKA_EVENT_REBALANCE: rebalance(event)
            case RD_KAFKA_EVENT_OFFSET_COMMIT: committed(event)
            case RD_KAFKA_EVENT_ERROR: failed(event)
            case RD_KAFKA_EVENT_LOG: event.log(to: logger)
            default: break
            }
        }
        // There is more: let the handlers have their turn first.
        serveQueues()
        signal.signal()
    }

    func receive(_ message: UnsafePointer<rd_kafka_message_t>) {
        let partition = reader.partition(message.pointee)
        guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
            let error = KafkaError(message.pointee.err, "reading \(partition)")
            return cannotRead(partition, error.code, error.reason)
        }
        if let queue = queue(of: partition) {
            queue.append(reader.record(message, of: partition))
            if queue.isAbove(share: share) { fullSince = fullSince ?? .now }
        }
        reads(partition)
    }

    /// The queue of an assignment; nil when its partition was lost, or came back since.
    func queue(of assignment: PartitionAssignment) -> PartitionQueue? {
        queues[assignment.partition].flatMap { $0.assignment == assignment ? $0 : nil }
    }

    /// The queue of a partition from which a record came.
    private func queue(of partition: TopicPartition) -> PartitionQueue? {
        if let latest, latest.assignment.partition == partition, !latest.isFinished { return latest }
        latest = queues[partition]
        return latest
    }

    /// A pause throws away what librdkafka has fetched and is fetching: handlers have this long to make room before it.
    /// Until then nothing is drained, the group's events neither.
    static let pauseDelay = Duration.milliseconds(100)

    private var share: Int { options.bufferBytes / max(1, queues.count) }

    /// Pauses full partitions before more is read, when the time for their handlers is over.
    private func pauseFullQueues() {
        if mayPause { for partition in queues.keys { regulate(partition) } }
        let share = share
        fullSince = queues.values.contains { $0.isAbove(share: share) } ? fullSince ?? .now : nil
    }

    private var mayPause: Bool { fullSince.map { ContinuousClock.now - $0 >= Self.pauseDelay } ?? false }

    func serveQueues() {
        for partition in queues.keys {
            queues[partition]?.serve()
            regulate(partition)
        }
    }

    /// Keeps what waits bounded: pauses the partition or lets it come again.
    func regulate(_ partition: TopicPartition) {
        let (share, mayPause) = (share, mayPause)
        switch queues[partition]?.regulate(share: share, mayPause: mayPause) {
        case .pause: pause(partition, true)
        case .resume: pause(partition, false)
        case .unchanged, nil: break
        }
    }

    /// librdkafka hears of changes alone: it may read a partition from an older position when it is told to resume one
    /// that was not paused (librdkafka #4637).
    func pause(_ partition: TopicPartition, _ isPaused: Bool) {
        guard paused.contains(partition) != isPaused else { return }
        if isPaused {
            paused.insert(partition)
            handle.pause(partition)
        } else {
            paused.remove(partition)
            handle.resume(partition)
        }
    }

    func rebalance(_ event: borrowing KafkaEvent) {
        let partitions = event.partitions(handle.names)
        gauges.rebalances.increment()
        logger.info(
            event.error == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS ? "partitions assigned" : "partitions revoked",
            ["partitions": partitions.map(\.description).joined(separator: " ")])
        if event.error == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            perform(machine.assigned(partitions, at: .now))
        } else {
            perform(machine.revoked(partitions, lost: handle.isAssignmentLost, at: .now))
        }
    }

    func committed(_ event: borrowing KafkaEvent) {
        contact.reached()
        let succeeded = event.error == RD_KAFKA_RESP_ERR_NO_ERROR
        if !succeeded {
            logger.warning(
                "committing failed", ["code": "\(KafkaError.Code(rawValue: event.error.rawValue))", "group": group])
        }
        perform(machine.commitAnswered(event.offsets(handle.names), succeeded: succeeded, at: .now))
    }

    func failed(_ event: borrowing KafkaEvent) {
        let code = KafkaError.Code(rawValue: event.error.rawValue)
        if let partition = event.partition(handle.names) { return cannotRead(partition, code, event.errorText) }
        if let error = handle.fatalError { return cannotGoOn(error) }
        switch code {
        case .allBrokersDown: contact.lostAll()
        default:
            status.blocked(by: event.errorText)
            logger.log(code.severity, "Kafka: \(event.errorText)", metadata: ["code": "\(code)"])
        }
    }

    private func cannotGoOn(_ error: KafkaError) {
        guard failure == nil else { return }
        let isFenced = error.code == .fencedInstance
        let error = isFenced ? memberName.map { .fenced($0, group: group) } ?? error : error
        logger.critical("the consumer cannot go on", ["reason": error.reason])
        failure = error
        // No revocation comes, and the partitions may belong to another member.
        if !queues.isEmpty { perform(machine.revoked(Array(queues.keys), lost: true, at: .now)) }
    }

    func cannotRead(_ partition: TopicPartition, _ code: KafkaError.Code, _ reason: String) {
        if code == .endOfPartition {
            queues[partition]?.reachedEnd()
            return reads(partition)
        }
        guard !KafkaError.Code.retriable.contains(code) else { return }
        guard queues[partition] != nil else {
            return logger.warning("Kafka: \(reason)", ["partition": "\(partition)", "code": "\(code)"])
        }
        // librdkafka reports it once only. Without an alarm it would stay unseen that nothing is read.
        // After an error of librdkafka's own about what it has got, it goes on behind that.
        status.cannotRead(partition, "\(code): \(reason)", mayPass: code.rawValue > 0 || code == .noOffset)
        // The log ends before the position, or begins behind it: whoever keeps the position says why, or another start.
        if code == .noOffset { queues[partition]?.askAgain() }
        logger.critical(
            "a partition cannot be read",
            ["partition": "\(partition)", "code": "\(code)", "reason": reason])
    }

    /// A record of a partition came, or the word that there is none.
    private func reads(_ partition: TopicPartition) {
        if status.reads(partition) { logger.notice("a partition is read again", ["partition": "\(partition)"]) }
    }

    func close() {
        closing = .now + options.handlerTimeout + .seconds(10)
        if failure == nil, let error = handle.close() { logger.warning("leaving the group", ["reason": error.reason]) }
        machine.close()
        // No event reports that the group is left: check often.
        let signal = signal
        executor.tick(every: .milliseconds(20)) { signal.signal() }
    }

    private func measure() {
        // A turn comes with each batch; gauges are not read as often.
        guard ContinuousClock.now >= nextMeasurement else { return }
        nextMeasurement = .now + .seconds(1)
        if !queues.values.contains(where: \.awaitsReading) { readings = 0 }
        for (partition, queue) in queues {
            gauges.waiting(partition, queue.count)
            // It is not empty for long while handlers are slow: then there is no better time than this.
            let time = max(drainedAt, .now - .seconds(60))
            if queue.isSilent(at: time, after: readings(of: queue)) { readAgain(partition) }
            guard let position = machine.position(of: partition), let high = handle.knownHighWatermark(partition)
            else { continue }
            gauges.lag(partition, high - position)
        }
    }

    /// How often the partition was read anew, which gives it more time. With the eager protocol all begin again with each,
    /// so that those of others count as well: for its first time a little, since it may have a fault of its own.
    private func readings(of queue: PartitionQueue) -> Int {
        if isIncremental { return queue.attempts }
        return queue.attempts == 0 ? min(readings, 2) : max(readings, queue.attempts)
    }

    func reportStatus() {
        // That no broker has answered yet is no news: the consumer waits for its share until one has.
        status.brokers(reachable: contact.isReachable != false, contact.reason)
        let reason = status.reason
        guard reason != reported else { return }
        reported = reason
        report(status.isReady, reason)
    }
}
