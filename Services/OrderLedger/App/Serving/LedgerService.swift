import Contracts
import KafkaBridge
import KeyFiles
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
        let base = try LedgerFoundation(configuration, logger: logger)
        let (database, readiness, registry) = (base.database, base.readiness, base.registry)
        base.metrics.begin(base.merchants.current.registry.merchants.map(\.id))
        let listener = PostgresListener(configuration.postgres, channels: [OrderStatusChanges.channel], logger: logger)
        let statusChanges = OrderStatusChanges(
            listener: listener, database: database, waiting: base.metrics.longPolls)
        let missingMerchants = MissingMerchants(
            path: base.merchants.path, prefix: "order_ledger", metrics: registry, readiness: readiness)
        let webhooks = base.webhooks()
        let journal = try base.journal(webhooks.writer, telling: statusChanges)
        let api = base.api(statusChanges, missingMerchants)
        server = HTTPServer(
            configuration: configuration.http, router: api.router, logger: logger.scoped(to: "http"),
            metrics: registry, readiness: readiness)
        let topics = TopicMonitor(
            configuration.topics.check(LedgerSchema.topics), on: base.admin, readiness: readiness)
        let gate = base.startGate(topics)
        let admin = AdminServer(
            configuration: configuration.admin, readiness: readiness, metrics: registry,
            logger: logger.scoped(to: "admin"))
        let expiry = OrderExpiry(
            database: database, offers: api.offers, keys: { [keys = base.ticketKeys] in keys.keys },
            metrics: base.metrics, logger: logger.scoped(to: "expiry"))
        let parked = ParkedFactMetrics(database: database, metrics: base.metrics, readiness: readiness)
        let settlement = SettlementMonitor(
            database: database,
            accounts: { [merchants = base.merchants] in SettlementAccounts(merchants.current.registry) },
            metrics: base.metrics, logger: logger.scoped(to: "settlement"))
        let beside: [any Service] = [admin] + base.files(missingMerchants) + [database]
        let watching: [any Service] =
            try base.monitors() + [listener, statusChanges, base.producer, topics, gate]
        let working: [any Service] =
            try [base.relay(), journal.recovery, journal.reading] + base.attempts() + base.contacts()
            + webhooks.services + [webhooks.delivery, expiry, parked, settlement]
        group = ServiceGroup(
            services: beside + watching + working.map { gate.holding($0) } + [server], logger: logger,
            readiness: readiness)
    }

    /// Runs until a signal, or until a part fails for good.
    func run() async throws { try await group.run() }
}
