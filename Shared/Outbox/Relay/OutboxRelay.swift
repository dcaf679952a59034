import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Publishes the events of an outbox at least once and in order. Each record has a number without gaps in its stream
/// and partition.
///
/// Any number of instances may run: an advisory lock gives each stream (a topic's partition) to one of them, and
/// another takes it over when its session ends. Each stream has a task of its own, so that one that cannot be published
/// delays no other. A stream whose log is ahead of the database is refused with an alarm. Killed anywhere, it loses
/// nothing.
public struct OutboxRelay: Service {
    /// How the relay behaves.
    public struct Options: Sendable {
        /// Events in a batch.
        public var batchSize = 500
        /// How long to wait for a wake-up before the next poll.
        public var pollInterval: Duration = .seconds(1)
        /// How often to try the locks of streams that have work and belong to another instance.
        public var claimInterval: Duration = .milliseconds(500)
        /// How often to compare a refused stream again.
        public var refusalInterval: Duration = .seconds(10)
        /// How long, at the stop, to wait for brokers that acknowledge nothing. What they did not acknowledge stays in
        /// the outbox.
        public var flushTimeout: Duration = .seconds(5)
        /// How long a stream may wait for Kafka before `/readyz` reports it.
        public var reportAfter: Duration = .seconds(5)
        /// Offsets that are searched at a time when a stream is compared with the log.
        public var searchChunk: Int64 = 20_000
        /// When a stream that failed is tried again.
        public var retries = RetryPolicy()

        public init() {}
    }

    /// How often an idle session sends a statement.
    private static let sessionTick = Duration.seconds(3)

    private let outbox: Outbox
    private let database: PostgresConfiguration
    private let producer: KafkaProducer
    private let reader: KafkaReader
    private let options: Options
    private let recovery: PartitionRecovery?
    private let logger: Logger
    private let published: Counter
    private let status: RelayStatus
    private let searches = LogSearches()

    /// - Parameters:
    ///   - database: for two connections of the relay's own.
    ///   - producer: made with `KafkaProducer.Options.keepingOrder`, so that no record overtakes another.
    ///   - recovery: reads back what was in progress when a standby was promoted; with nil the stream is refused then.
    ///   - readiness: gets the component `outbox`.
    public init(
        _ outbox: Outbox, database: PostgresConfiguration, producer: KafkaProducer, reader: KafkaReader,
        options: Options = Options(), recovery: PartitionRecovery? = nil, readiness: Readiness, logger: Logger,
        metrics: MetricsRegistry
    ) {
        precondition(producer.keepsOrder, "the records of an outbox are sent in their order")
        self.outbox = outbox
        self.database = database
        self.producer = producer
        self.reader = reader
        self.options = options
        self.recovery = recovery
        self.logger = logger.scoped(to: "outbox")
        published = metrics.counter("orchard_outbox_published_total", help: "Events published from the outbox.")
        status = RelayStatus(readiness: readiness, logger: self.logger, metrics: metrics)
    }

    /// Publishes until the service stops, then what still waits.
    ///
    /// - Throws: a fatal `KafkaError`, after which only a new process can send.
    public func run() async throws {
        let state = RelayState()
        let listener = PostgresListener(database, channels: [outbox.channel], logger: logger)
        let subscription = outbox.signal.add { state.wake($0) }
        defer { outbox.signal.remove(subscription) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await giveUpAtStop() }
            group.addTask { try await listener.run() }
            group.addTask { for await names in listener.notifications(on: outbox.channel) { state.notified(names) } }
            group.addTask { await tick(state) }
            defer { group.cancelAll() }
            try await publish(state)
        }
    }

    private var isStopping: Bool { GracefulShutdown.current?.hasBegun ?? false }

    private func giveUpAtStop() async {
        guard (try? await gracefulShutdown()) != nil, (try? await Task.sleep(for: options.flushTimeout)) != nil
        else { return }
        // Repeated, because the last round may hand over what the round before gave up.
        while !Task.isCancelled {
            await producer.giveUp()
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Wakes the session's task for the next check, and at the stop.
    private func tick(_ state: RelayState) async {
        await withGracefulShutdownHandler {
            while (try? await Task.sleep(for: min(options.pollInterval, .seconds(1)))) != nil { state.tick() }
        } onGracefulShutdown: {
            state.tick()
        }
    }

    private func publish(_ state: RelayState) async throws {
        let (found, finds) = AsyncStream<RelayState.Find>.makeStream()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                defer { finds.finish() }
                try await keepSession(state, finds)
            }
            for await find in found {
                group.addTask {
                    defer { state.ended(find.stream) }
                    do { try await publish(find.stream, find.signal, state) } catch {
                        finds.finish()
                        throw error
                    }
                }
            }
        }
    }

    // MARK: The session's task

    private func keepSession(_ state: RelayState, _ finds: AsyncStream<RelayState.Find>.Continuation) async throws {
        var retries = RetryState(options.retries)
        var wakeups = state.signal.wakeups.makeAsyncIterator()
        while !state.isLast {
            do {
                let session = try await RelaySession.open(outbox, database)
                state.opened(session)
                retries.succeeded()
                status.session(nil)
                do { try await claim(session, state, finds, &wakeups) } catch {
                    state.lost(session)
                    await session.connection.close()
                    throw error
                }
                await session.connection.close()
            } catch let error as PostgresError {
                try Task.checkCancellation()
                status.session("no session with the database: \(error.reason)")
                if isStopping { break }
                let (pause, _) = retries.failed(isTransient: error.isTransient, at: .now)
                await pauseUntilGracefulShutdown(for: pause)
            }
            try Task.checkCancellation()
        }
        state.finish()
        while state.hasTasks, await wakeups.next() != nil {}
    }

    /// Claims streams that have work and hands them to tasks, until the last check of a stopping service; then keeps
    /// the session until all tasks have ended.
    private func claim(
        _ session: RelaySession, _ state: RelayState, _ finds: AsyncStream<RelayState.Find>.Continuation,
        _ wakeups: inout AsyncStream<Void>.Iterator
    ) async throws {
        var (nextLook, nextKeepAlive) = (ContinuousClock.now, ContinuousClock.now)
        var nextClaim: [TopicPartition: ContinuousClock.Instant] = [:]
        while true {
            // Read before the check: what was committed before the stop is published.
            let isLast = isStopping
            let changes = state.nextChanges()
            var streams = changes.own.union(changes.named)
            if isLast || changes.mustPoll || .now >= nextLook {
                // A little sooner than the tick that it waits for, which may else come just too early.
                nextLook = .now + options.pollInterval * 0.9
                streams = try await session.waitingStreams()
                nextKeepAlive = .now + Self.sessionTick
            } else if .now >= nextKeepAlive || !session.connection.isOpen {
                try await session.keepAlive()
                nextKeepAlive = .now + Self.sessionTick
            }
            let foreign = streams.subtracting(state.held)
            let due = foreign.filter { isLast || (nextClaim[$0] ?? .now) <= .now }.sorted()
            for stream in due { nextClaim[stream] = .now + options.claimInterval }
            for find in state.hold(try await session.lock(due)) { finds.yield(find) }
            state.wakeTasks(streams)
            // This process wrote events for a stream that another one holds.
            let theirs = changes.own.subtracting(state.held)
            if !theirs.isEmpty { try await session.wakeOthers(theirs) }
            if isLast { break }
            guard await wakeups.next() != nil else { throw CancellationError() }
        }
        state.finish()
        while state.hasTasks {
            try await session.keepAlive()
            guard await wakeups.next() != nil else { throw CancellationError() }
        }
    }

    // MARK: A stream's task

    private func publish(
        _ stream: TopicPartition, _ signal: WakeSignal, _ state: RelayState
    ) async throws {
        var wakeups = signal.wakeups.makeAsyncIterator()
        var retries = RetryState(options.retries)
        var publisher: StreamPublisher?
        while true {
            try Task.checkCancellation()
            let isLast = state.isLast
            guard let session = state.session(holding: stream) else {
                if isLast { return }
                _ = await wakeups.next()
                continue
            }
            var current =
                publisher
                ?? StreamPublisher(
                    stream, session: session, producer: producer, reader: reader, options: options, searches: searches)
            current.goOn(with: session)
            do {
                defer { publisher = current }
                let count = try await current.round { status.fails(stream, $0) }
                published.increment(by: Int64(count))
                retries.succeeded()
                status.works(stream)
                // Nothing waited when the last batch was deleted; what was written since wakes this task.
                guard count == 0 || current.isSettled && !isLast else { continue }
                if isLast { return }
                _ = await wakeups.next()
            } catch {
                try Task.checkCancellation()
                if error is StreamCheck.Refusal, await appliesLateEvents(of: stream) { continue }
                guard let pause = try failed(stream, error, session, state, &retries) else { continue }
                if isLast || isStopping {
                    return logger.warning("events stay in the outbox", ["stream": "\(stream)", "error": "\(error)"])
                }
                await pauseUntilGracefulShutdown(for: pause)
            }
        }
    }

    /// Whether the log was ahead only by a batch that was under way when the database lost its last transactions: a
    /// recovery that ended before it came did not see it. What cannot be compared now is refused, and compared again
    /// later.
    private func appliesLateEvents(of stream: TopicPartition) async -> Bool {
        (try? await recovery?.applyLateEvents(of: stream.partition)) ?? false
    }

    /// - Returns: when to try again; nil when that depends on the next session.
    private func failed(
        _ stream: TopicPartition, _ error: any Error, _ session: RelaySession, _ state: RelayState,
        _ retries: inout RetryState
    ) throws -> Duration? {
        switch error {
        case let refusal as StreamCheck.Refusal:
            status.fails(stream, refusal.reason, isRefused: true)
            return options.refusalInterval
        case let error as KafkaError:
            if error.isFatal { throw error }
            status.fails(stream, "Kafka does not take events: \(error.reason)")
            return retries.failed(isTransient: error.isTransient, at: .now).pause
        case is PostgresError where !session.connection.isOpen:
            state.lost(session)
            return nil
        default:
            status.fails(stream, "\(error)")
            return retries.failed(isTransient: RetryPolicy.isTransient(error), at: .now).pause
        }
    }
}
