import Contracts
import KafkaBridge
import KeyFiles
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// What every part of the running service is built on: files, database, Kafka, metrics and readiness.
struct LedgerFoundation {
    let configuration: LedgerConfiguration
    let logger: Logger
    let merchants: CheckedFile<LedgerMerchants>
    let ticketKeys: TicketKeyRing
    let contactKeys: ContactKeys
    let registry: MetricsRegistry
    let metrics: LedgerMetrics
    let readiness: Readiness
    let database: PostgresPool
    let admin: KafkaAdmin
    let producer: KafkaProducer
    let recovery: PartitionRecovery

    init(_ configuration: LedgerConfiguration, logger: Logger) throws {
        guard let merchants = configuration.merchants, let ticketKeys = configuration.ticketKeys,
            let contactKeys = configuration.contactKeys
        else {
            throw UsageError("the configuration was not read")
        }
        for danger in merchants.current.registry.dangers { logger.warning("\(danger)") }
        self.configuration = configuration
        self.logger = logger
        (self.merchants, self.ticketKeys, self.contactKeys) = (merchants, ticketKeys, contactKeys)
        registry = MetricsRegistry(service: "order-ledger")
        metrics = LedgerMetrics(registry)
        let readiness = Readiness(logger: logger.scoped(to: "readiness"))
        self.readiness = readiness
        readiness.begin("kafka", reason: KafkaProducer.firstReason)
        for component in ["facts", "attempts", "contacts"] {
            readiness.begin(component, reason: KafkaConsumer.firstReason)
        }
        database = PostgresPool(configuration.postgres, logger: logger, metrics: registry, readiness: readiness)
        admin = try KafkaAdmin(configuration.topics.kafka, logger: logger)
        producer = try KafkaProducer(configuration.topics.kafka, options: .keepingOrder, logger: logger) {
            readiness.set("kafka", ready: $0, reason: $1)
        }
        recovery = try LedgerSchema.recovery(
            database, configuration.topics.kafka, group: configuration.group, logger, registry)
    }

    /// A consumer of one topic, in a group of its own, that `/readyz` shows as `component`.
    func consumer(
        of topic: Topic, in group: String, _ component: String, startingAt starts: any RebalanceObserver,
        options: KafkaConsumer.Options = KafkaConsumer.Options()
    ) throws(KafkaError) -> KafkaConsumer {
        let readiness = readiness
        return try KafkaConsumer(
            configuration.topics.kafka, group: group, topics: [topic.name], observer: starts, options: options,
            logger: logger, metrics: registry
        ) { readiness.set(component, ready: $0, reason: $1) }
    }

    /// Opens when the topics and the database are as this version needs them.
    func startGate(_ topics: TopicMonitor) -> StartGate {
        readiness.begin("startup", reason: "waits for its first checks")
        return StartGate { [database, readiness, logger] in
            try await topics.wait()
            try await Retry(component: "startup", readiness: readiness, logger: logger).run("checked") {
                try await database.withConnection { connection in
                    try await LedgerSchema.migrator.check(connection)
                    try await LedgerSchema.migrator.checkRole(LedgerSchema.serviceRole, on: connection)
                }
            }
        }
    }
}
