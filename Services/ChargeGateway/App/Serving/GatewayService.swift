import Acquirers
import Charging
import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardHTTPAdmin
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The service: its parts, and the order in which they stop.
struct GatewayService {
    /// In the reverse order of their shutdown.
    private let services: [any Service]
    private let logger: Logger
    private let readiness: Readiness

    /// - Throws: `ConfigurationError` with everything that is wrong in files and settings.
    init(_ configuration: GatewayConfiguration, logger: Logger) throws {
        let metrics = MetricsRegistry(service: "charge-gateway")
        let readiness = Readiness(logger: logger.scoped(to: "readiness"))
        readiness.begin("kafka", reason: KafkaProducer.firstReason)
        readiness.begin("commands", reason: KafkaConsumer.firstReason)
        let links = configuration.acquirers.map { AcquirerLink($0, logger: logger, metrics: metrics) }
        let files = try GatewayFiles(configuration, links, logger: logger)
        let merchants = files.merchants

        let pool = PostgresPool(configuration.postgres, logger: logger, metrics: metrics, readiness: readiness)
        merchants.require { try await $0.keepRoutes(pool, logger: logger) }
        let requiredKeys = RequiredSealingKeys(pool: pool, sealingKeys: files.sealingKeys)
        let missingMerchants = MissingMerchants(
            path: configuration.merchantsFile, prefix: "charge_gateway", metrics: metrics, readiness: readiness)
        let telemetry = ChargeTelemetry(metrics, logger: logger)
        let outbox = Self.outbox
        let timers = TimerQueue()
        let transactions = OrderTransactions(
            pool: pool, store: OrderStore(policy: configuration.policy), outbox: outbox, telemetry: telemetry,
            timers: timers)
        let acquirers = AcquirerClient(merchants.current.directory, telemetry: telemetry, readiness: readiness)
        let breakers = CircuitBreakers(telemetry: telemetry, readiness: readiness)
        let limiter = RequestLimiter(configuration.requestLimits)
        for kind in NextStep.Kind.allCases { telemetry.slotsTaken(kind) { limiter.takenShare(of: kind) } }
        let requests = ImmediateRequests(
            limiter: limiter, timers: timers,
            intents: IntentMaker(
                decryptor: CardDecryptor(sealingKeys: files.sealingKeys), breakers: breakers, telemetry: telemetry),
            queue: IntentQueue())
        let rules = StartupChecks(
            pool: pool, requiredKeys: requiredKeys, merchants: { merchants.current.registry }, readiness: readiness,
            logger: logger)
        let gate = StartGate { try await rules.check() }

        let router = NotificationEndpoint(
            transactions: transactions, requests: requests, acquirers: acquirers, telemetry: telemetry,
            threads: ThreadPool(name: "notifications"), logger: logger
        ).router(configuration.acquirers.map { type(of: $0) })

        self.logger = logger
        self.readiness = readiness
        let recovery = try Self.recovery(transactions, pool, configuration.kafka, logger, metrics)
        let relaying = try Self.relay(outbox, configuration, recovery, readiness, metrics, logger)
        let consumer = try Self.consumer(configuration, pool, recovery, readiness, metrics, logger)
        var beside: [any Service] = [
            AdminServer(
                configuration: configuration.admin, readiness: readiness, metrics: metrics,
                logger: logger.scoped(to: "admin"))
        ]
        if let publicFile = configuration.rotatedPublicFile {
            beside.append(
                SealingRotation(
                    files: SealingKeyFiles(.cards, privateSet: configuration.sealingKeysFile, publicSet: publicFile),
                    readiness: readiness, logger: logger.scoped(to: "keys")))
        }
        beside += [pool, Self.inbox.writeCheck(on: pool, readiness: readiness)]
        // Behind the pool, and stopped late: nobody waits for a look at brokers that do not answer.
        var watching = try Self.monitors(configuration, pool, readiness, metrics, logger)
        watching += [
            gate,
            files.reloader(
                every: configuration.keyReload, requiredKeys, missingMerchants, metrics: metrics,
                readiness: readiness, logger: logger),
            try Self.topics(configuration, readiness, logger),
        ]
        watching += links.map(\.client)
        watching.append(relaying.producer)
        let working: [any Service] = [
            OpenChargeMetrics(metrics, pool: pool, readiness: readiness),
            relaying.relay,
            RecoveryLoop(recovery, readiness: readiness) {
                await consumer.askAgain(TopicPartition(Topic.charges.name, $0))
            },
            TimerLoop(
                pool: pool, timers: timers, intents: requests.queue, limiter: requests.limiter,
                executor: TimerExecutor(
                    transactions: transactions, intents: requests.intents, acquirers: acquirers, breakers: breakers,
                    logger: logger),
                interval: configuration.timerInterval, readiness: readiness, logger: logger),
            Self.settlement(configuration, pool, transactions, { merchants.current }, readiness, metrics, logger),
            CommandConsumer(
                consumer: consumer,
                processor: CommandProcessor(
                    transactions: transactions, inbox: Self.inbox, ticketKeys: files.ticketKeys,
                    merchants: { merchants.current.registry }, missingMerchants: missingMerchants,
                    requests: requests, telemetry: telemetry, logger: logger)),
            HTTPServer(
                configuration: configuration.http, router: router, logger: logger.scoped(to: "http"),
                metrics: metrics, readiness: readiness),
        ]
        services = beside + watching + working.map { gate.holding($0) }
    }

    /// Runs until a signal stops it.
    func run() async throws {
        try await ServiceGroup(services: services, logger: logger, readiness: readiness).run()
    }

    static let outbox = Outbox(schema: GatewaySchema.name, stream: GatewaySchema.stream)
    static let inbox = Inbox(schema: GatewaySchema.name, topic: .charges, program: GatewaySchema.stream)

    /// Looks whether the topics are as they must be. What is due at an acquirer does not wait for that.
    private static func topics(
        _ configuration: GatewayConfiguration, _ readiness: Readiness, _ logger: Logger
    ) throws(KafkaError) -> TopicMonitor {
        let admin = try KafkaAdmin(configuration.kafka, timeout: .seconds(3), logger: logger.scoped(to: "kafka"))
        let topics = [Topic.charges, Topic.charges.deadLetters, .journal].map {
            TopicSpecification(name: $0.name, partitions: configuration.partitions, settings: $0.settings)
        }
        return TopicMonitor(TopicCheck(topics), on: admin, readiness: readiness)
    }

    private static func relay(
        _ outbox: Outbox, _ configuration: GatewayConfiguration, _ recovery: PartitionRecovery,
        _ readiness: Readiness, _ metrics: MetricsRegistry, _ logger: Logger
    ) throws(KafkaError) -> (producer: KafkaProducer, relay: OutboxRelay) {
        let producer = try KafkaProducer(
            configuration.kafka, options: .keepingOrder, logger: logger.scoped(to: "kafka")
        ) {
            readiness.set("kafka", ready: $0, reason: $1)
        }
        let reader = try KafkaReader(configuration.kafka, logger: logger.scoped(to: "kafka"))
        return (
            producer,
            OutboxRelay(
                outbox, database: configuration.postgres, producer: producer, reader: reader, recovery: recovery,
                readiness: readiness, logger: logger, metrics: metrics)
        )
    }

    private static func consumer(
        _ configuration: GatewayConfiguration, _ pool: PostgresPool, _ recovery: PartitionRecovery,
        _ readiness: Readiness,
        _ metrics: MetricsRegistry, _ logger: Logger
    ) throws(KafkaError) -> KafkaConsumer {
        let kafkaLogger = logger.scoped(to: "kafka")
        let starts = InboxStarts(
            inbox: inbox, database: pool, admin: try KafkaAdmin(configuration.kafka, logger: kafkaLogger),
            group: GatewayConfiguration.group, acceptLogStart: configuration.acceptLogStart, recovery: recovery,
            logger: logger,
            metrics: metrics)
        return try KafkaConsumer(
            configuration.kafka, group: GatewayConfiguration.group, topics: [Topic.charges.name],
            observer: starts, logger: kafkaLogger, metrics: metrics
        ) {
            readiness.set("commands", ready: $0, reason: $1)
        }
    }
}
