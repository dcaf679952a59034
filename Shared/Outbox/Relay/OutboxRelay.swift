import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Publishes the rows of an outbox: at least once, in order, each record with a number without gaps in its stream and
/// partition.
///
/// Any number of instances may run: an advisory lock gives each partition to one of them, and another takes it over
/// when its session ends. A partition whose log is ahead of the database is refused with an alarm. Killed anywhere, it
/// loses nothing.
public struct OutboxRelay: Service {
    /// How the relay behaves.
    public struct Options: Sendable {
        /// Rows a partition and round.
        public var batchSize = 250
        /// How long to wait without being woken before looking again.
        public var pollInterval: Duration = .seconds(1)
        /// How often to try the locks of partitions that have work and belong to somebody else.
        public var claimInterval: Duration = .milliseconds(500)
        /// How often to look again at a partition that was refused.
        public var refusalInterval: Duration = .seconds(10)
        /// How long, at the stop, to wait for brokers that take nothing; what they did not take stays in the outbox.
        public var farewell: Duration = .seconds(10)
        /// How long published rows are kept.
        public var keepPublished: Duration = .seconds(3 * 86_400)

        public init() {}
    }

    private let outbox: Outbox
    private let database: PostgresConfiguration
    private let producer: KafkaProducer
    private let reader: KafkaReader
    private let options: Options
    private let readiness: Readiness
    private let logger: Logger
    private let published: Counter
    private let refusedPartitions: Gauge

    /// - Parameters:
    ///   - database: for a connection of the relay's own.
    ///   - producer: made with `KafkaProducer.Options.keepingOrder`, so that no record overtakes another.
    ///   - readiness: gets the component `outbox`.
    public init(
        _ outbox: Outbox, database: PostgresConfiguration, producer: KafkaProducer, reader: KafkaReader,
        options: Options = Options(), readiness: Readiness, logger: Logger, metrics: MetricsRegistry
    ) {
        precondition(producer.keepsOrder, "the records of an outbox are sent in their order")
        self.outbox = outbox
        self.database = database
        self.producer = producer
        self.reader = reader
        self.options = options
        self.readiness = readiness
        self.logger = logger.scoped(to: "outbox")
        published = metrics.counter("orchard_outbox_published_total", help: "Events published from the outbox.")
        refusedPartitions = metrics.gauge(
            "orchard_outbox_refused_partitions",
            help: "Partitions whose log is ahead of the database; nothing is published there.")
        readiness.begin("outbox", reason: "not connected yet")
    }

    /// Publishes until the service stops, then what still waits.
    ///
    /// - Throws: ``RelayError``, or a fatal `KafkaError`, after which only a new process can send.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil,
                    (try? await Task.sleep(for: options.farewell)) != nil
                else { return }
                // Again and again: a last round may hand over what the one before it gave up.
                while !Task.isCancelled {
                    await producer.giveUp()
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { group.cancelAll() }
            try await publish()
        }
    }

    private func publish() async throws {
        var backoff = Duration.milliseconds(100)
        while !isStopping {
            do {
                let session = try await RelaySession.open(outbox, database)
                backoff = .milliseconds(100)
                do { try await work(session) } catch {
                    await session.connection.close()
                    throw error
                }
                await session.connection.close()
            } catch let error as PostgresError where error.code != .cancelled {
                readiness.set("outbox", ready: false, reason: error.reason)
                logger.warning("the relay's session ended, trying again: \(error)")
                await pause(for: backoff)
                backoff = min(backoff * 2, .seconds(5))
            }
            try Task.checkCancellation()
        }
    }

    private var isStopping: Bool { GracefulShutdown.current?.hasBegun ?? false }

    private func work(_ session: RelaySession) async throws {
        var round = RelayRound(session: session, producer: producer, reader: reader, options: options)
        var nextPruning = ContinuousClock.now
        var backoff = Duration.milliseconds(100)
        while true {
            // Read before the round: what was committed before the stop is published.
            let isLast = isStopping
            var failure: KafkaError?
            var isIdle = true
            do {
                let outcome = try await round.run(isLast: isLast)
                report(outcome, round)
                failure = outcome.failure
                isIdle = outcome.published == 0
            } catch let error as KafkaError {
                failure = error
            }
            if let failure {
                if failure.isFatal { throw failure }
                readiness.set("outbox", ready: false, reason: "Kafka does not take events: \(failure.reason)")
                if isLast || isStopping { return logger.warning("events stay in the outbox: \(failure.reason)") }
                await pause(for: backoff)
                backoff = min(backoff * 2, .seconds(5))
                continue
            }
            backoff = .milliseconds(100)
            guard isIdle else { continue }
            if isLast { return }
            if ContinuousClock.now >= nextPruning {
                let removed = try await session.prune(
                    round.held.sorted(), olderThan: options.keepPublished, limit: 5000)
                nextPruning = .now + (removed < 5000 ? .seconds(60) : .seconds(1))
            }
            try await waitForWork(session)
        }
    }

    private func report(_ outcome: RelayRound.Outcome, _ round: RelayRound) {
        published.increment(by: Int64(outcome.published))
        refusedPartitions.set(Double(round.refused.count))
        for (partition, reason) in outcome.refused {
            logger.critical("the outbox refuses to publish: \(reason)", ["partition": "\(partition)"])
        }
        if let reason = round.refused.sorted(by: { $0.key < $1.key }).first?.value.reason {
            readiness.set("outbox", ready: false, reason: reason)
        } else if outcome.failure == nil {
            readiness.set("outbox", ready: true, reason: "publishing")
        }
    }

    /// Until somebody commits events, some time passes, or the service stops.
    private func waitForWork(_ session: RelaySession) async throws {
        try await untilStopping {
            _ = try await session.connection.notifications(within: options.pollInterval)
        }
    }

    private func pause(for duration: Duration) async {
        try? await untilStopping { try await Task.sleep(for: duration) }
    }

    /// Runs `body`, cancelled when the graceful shutdown begins.
    private func untilStopping(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { try? await gracefulShutdown() }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }
}
