import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import Ledger
import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The running service: its parts, in the reverse order of their shutdown.
struct LedgerService {
    private let group: ServiceGroup
    /// The public port, for callers that let the system choose it.
    let server: HTTPServer

    init(_ configuration: LedgerConfiguration, logger: Logger) throws {
        guard let merchants = configuration.merchants, let ticketKeys = configuration.ticketKeys,
            let contactKeys = configuration.contactKeys
        else {
            throw UsageError("the configuration was not read")
        }
        for danger in merchants.current.dangers { logger.warning("\(danger)") }
        let registry = MetricsRegistry(service: "order-ledger")
        let metrics = LedgerMetrics(registry)
        let readiness = Readiness(logger: logger.scoped(to: "readiness"))
        readiness.begin("kafka", reason: KafkaProducer.firstReason)
        readiness.begin("facts", reason: KafkaConsumer.firstReason)
        readiness.begin("attempts", reason: KafkaConsumer.firstReason)
        readiness.begin("contacts", reason: KafkaConsumer.firstReason)
        let database = PostgresPool(
            configuration.postgres, logger: logger, metrics: registry, readiness: readiness)
        let listener = PostgresListener(configuration.postgres, channels: [OrderStatusChanges.channel], logger: logger)
        let statusChanges = OrderStatusChanges(listener: listener, database: database, waiting: metrics.longPolls)
        let admin = try KafkaAdmin(configuration.topics.kafka, logger: logger)
        let producer = try KafkaProducer(configuration.topics.kafka, options: .keepingOrder, logger: logger) {
            readiness.set("kafka", ready: $0, reason: $1)
        }
        let recovery = try LedgerSchema.recovery(
            database, configuration.topics.kafka, group: configuration.group, logger, registry)
        let starts = InboxStarts(
            inbox: LedgerSchema.inbox, database: database, admin: admin, group: configuration.group,
            acceptLogStart: configuration.acceptsLogStart, recovery: recovery, logger: logger, metrics: registry)
        let consumer = try KafkaConsumer(
            configuration.topics.kafka, group: configuration.group, topics: [Topic.journal.name], observer: starts,
            options: JournalConsumer.options, logger: logger, metrics: registry
        ) { readiness.set("facts", ready: $0, reason: $1) }
        let attempts = try Self.attempts(configuration, database, admin, metrics, readiness, logger, registry)
        let contacts = try Self.contacts(
            configuration,
            ContactStore(database: database, decryptor: ContactDecryptor(keys: { contactKeys.set.keys })),
            { merchants.current }, admin, metrics, readiness, logger, registry)
        let contactKeyExpiry = SealingKeyExpiry(
            .contacts, sealingKeys: contactKeys.set, metrics: registry, readiness: readiness,
            logger: logger.scoped(to: "keys"))
        let relay = OutboxRelay(
            LedgerSchema.outbox, database: configuration.postgres, producer: producer,
            reader: try KafkaReader(configuration.topics.kafka, logger: logger), recovery: recovery,
            readiness: readiness, logger: logger, metrics: registry)
        let projection = Projection(
            database: database, inbox: LedgerSchema.inbox, outbox: LedgerSchema.outbox, metrics: metrics,
            logger: logger.scoped(to: "projection"), statusChanges: statusChanges.publish)
        let missingMerchants = MissingMerchants(
            path: merchants.path, prefix: "order_ledger", metrics: registry, readiness: readiness)
        let api = OrdersAPI(
            database: database, registry: { merchants.current }, missingMerchants: missingMerchants,
            tickets: TicketIssuer(keys: { ticketKeys.keys }, lifetime: configuration.ticketLifetime, now: { .now }),
            limits: RequestLimits(
                keys: RateLimiter(of: .key, rate: configuration.keyLimit, metrics: registry),
                tickets: RateLimiter(of: .ticket, rate: configuration.ticketLimit, metrics: registry)),
            offers: OfferStore(outbox: LedgerSchema.outbox, expiryGrace: configuration.expiryGrace),
            statusChanges: statusChanges, metrics: metrics,
            logger: logger.scoped(to: "api"), partitions: configuration.topics.partitions, now: { .now },
            minimumLife: configuration.minimumOrderLife)
        server = HTTPServer(
            configuration: configuration.http, router: api.router, logger: logger.scoped(to: "http"),
            metrics: registry, readiness: readiness)
        let topics = TopicMonitor(configuration.topics.check(LedgerSchema.topics), on: admin, readiness: readiness)
        let gate = Self.startGate(topics, database, readiness, logger)
        let unread = UnreadRecordMonitor(
            LedgerSchema.inbox, of: "fact", prefix: "order_ledger", partitions: configuration.topics.partitions,
            database: database,
            reader: try KafkaReader(configuration.topics.kafka, timeout: .seconds(3), logger: logger),
            readiness: readiness, logger: logger, metrics: registry)
        let backlog = OutboxBacklog(LedgerSchema.outbox, database: database, readiness: readiness, metrics: registry)
        group = ServiceGroup(
            services: [
                AdminServer(
                    configuration: configuration.admin, readiness: readiness, metrics: registry, logger: logger),
                ticketKeys.reloader(
                    and: [merchants, contactKeys.set], every: configuration.keyReload, readiness: readiness,
                    logger: logger.scoped(to: "keys")
                ) {
                    contactKeyExpiry.report(at: .now)
                    let known = merchants.current
                    missingMerchants.update(at: Timestamp.now.seconds) { MerchantID($0).flatMap { known[$0] } != nil }
                },
                database, LedgerSchema.inbox.writeCheck(on: database, readiness: readiness), backlog, unread,
                listener, statusChanges, producer, topics, gate, gate.holding(relay),
                gate.holding(
                    RecoveryLoop(recovery, readiness: readiness) {
                        await consumer.askAgain(TopicPartition(Topic.journal.name, $0))
                    }),
                gate.holding(JournalConsumer(consumer: consumer, projection: projection)),
                gate.holding(attempts), gate.holding(contacts.consumer), gate.holding(contacts.retention),
                gate.holding(
                    OrderExpiry(
                        database: database, offers: api.offers, keys: { ticketKeys.keys }, metrics: metrics,
                        logger: logger.scoped(to: "expiry"))),
                gate.holding(AttemptPruning(database: database, logger: logger.scoped(to: "attempts"))),
                gate.holding(ParkedFactMetrics(database: database, metrics: metrics, readiness: readiness)), server,
            ]
                + (contactKeys.rotated.map {
                    [SealingRotation(files: $0, readiness: readiness, logger: logger.scoped(to: "keys"))]
                } ?? []), logger: logger, readiness: readiness)
    }

    /// Opens when the topics and the database are as this version needs them.
    private static func startGate(
        _ topics: TopicMonitor, _ database: PostgresPool, _ readiness: Readiness, _ logger: Logger
    ) -> StartGate {
        readiness.begin("startup", reason: "waits for its first checks")
        return StartGate {
            try await topics.wait()
            try await Retry(component: "startup", readiness: readiness, logger: logger).run("checked") {
                try await database.withConnection { connection in
                    try await LedgerSchema.migrator.check(connection)
                    try await LedgerSchema.migrator.checkRole(LedgerSchema.serviceRole, on: connection)
                }
            }
        }
    }

    private static func contacts(
        _ configuration: LedgerConfiguration, _ store: ContactStore,
        _ merchants: @escaping @Sendable () -> MerchantRegistry, _ admin: KafkaAdmin, _ metrics: LedgerMetrics,
        _ readiness: Readiness, _ logger: Logger, _ registry: MetricsRegistry
    ) throws(KafkaError) -> (consumer: ContactConsumer, retention: ContactRetention) {
        let consumer = try KafkaConsumer(
            configuration.topics.kafka, group: ContactConsumer.group(besides: configuration.group),
            topics: [Topic.contacts.name], observer: ReadingStarts(places: store.places, admin: admin),
            logger: logger, metrics: registry
        ) { readiness.set("contacts", ready: $0, reason: $1) }
        let logger = logger.scoped(to: "contacts")
        return (
            ContactConsumer(consumer: consumer, store: store, metrics: metrics, logger: logger),
            ContactRetention(
                database: store.database, decryptor: store.decryptor, registry: merchants, metrics: metrics,
                logger: logger)
        )
    }

    private static func attempts(
        _ configuration: LedgerConfiguration, _ database: PostgresPool, _ admin: KafkaAdmin, _ metrics: LedgerMetrics,
        _ readiness: Readiness, _ logger: Logger, _ registry: MetricsRegistry
    ) throws(KafkaError) -> AttemptConsumer {
        let store = AttemptStore(database: database)
        let consumer = try KafkaConsumer(
            configuration.topics.kafka, group: AttemptConsumer.group(besides: configuration.group),
            topics: [Topic.attempts.name], observer: ReadingStarts(places: store.places, admin: admin),
            logger: logger, metrics: registry
        ) { readiness.set("attempts", ready: $0, reason: $1) }
        return AttemptConsumer(consumer: consumer, store: store, metrics: metrics)
    }

    /// Runs until a signal, or until a part fails for good.
    func run() async throws { try await group.run() }

}
