import Contracts
import KafkaBridge
import KeyFiles
import Ledger
import OrchardHTTPServer
import OrchardPostgres
import OrchardServiceKit
import Outbox

// The parts of the service, each with what runs it. The order of a list is the reverse order of the shutdown.

extension LedgerFoundation {
    /// The journal: its consumer folds it into the books.
    func journal(
        _ webhooks: WebhookWriter, telling statusChanges: OrderStatusChanges
    ) throws -> (reading: JournalConsumer, recovery: RecoveryLoop) {
        let starts = InboxStarts(
            inbox: LedgerSchema.inbox, database: database, admin: admin, group: configuration.group,
            acceptLogStart: configuration.acceptsLogStart, recovery: recovery, logger: logger, metrics: registry)
        let consumer = try consumer(
            of: .journal, in: configuration.group, "facts", startingAt: starts, options: JournalConsumer.options)
        let projection = Projection(
            database: database, inbox: LedgerSchema.inbox, outbox: LedgerSchema.outbox, metrics: metrics,
            logger: logger.scoped(to: "projection"), webhooks: webhooks, statusChanges: statusChanges.publish)
        return (
            JournalConsumer(consumer: consumer, projection: projection),
            RecoveryLoop(recovery, readiness: readiness) {
                await consumer.askAgain(TopicPartition(Topic.journal.name, $0))
            }
        )
    }

    /// Attempts that token-ingest rejected.
    func attempts() throws -> [any Service] {
        let store = AttemptStore(database: database)
        let consumer = try consumer(
            of: .attempts, in: AttemptConsumer.group(besides: configuration.group), "attempts",
            startingAt: ReadingStarts(places: store.places, admin: admin))
        return [
            AttemptConsumer(consumer: consumer, store: store, metrics: metrics),
            AttemptPruning(database: database, logger: logger.scoped(to: "attempts")),
        ]
    }

    /// Customers' contacts.
    func contacts() throws -> [any Service] {
        let decryptor = ContactDecryptor(keys: { [contactKeys] in contactKeys.set.keys })
        let store = ContactStore(database: database, decryptor: decryptor)
        let consumer = try consumer(
            of: .contacts, in: ContactConsumer.group(besides: configuration.group), "contacts",
            startingAt: ReadingStarts(places: store.places, admin: admin))
        let logger = logger.scoped(to: "contacts")
        return [
            ContactConsumer(consumer: consumer, store: store, metrics: metrics, logger: logger),
            ContactRetention(
                database: database, decryptor: decryptor, registry: { [merchants] in merchants.current.registry },
                metrics: metrics, logger: logger),
        ]
    }

    /// What shops' servers are told: the writer for the fold, and what delivers.
    func webhooks() -> (writer: WebhookWriter, services: [any Service], delivery: WebhookDelivery) {
        let logger = logger.scoped(to: "webhooks")
        let store = WebhookStore(database: database, logger: logger)
        let clients = WebhookClients(
            authorities: configuration.webhookAuthorities, logger: logger, metrics: registry)
        let targets = { @Sendable [merchants] in merchants.current.webhooks }
        let delivery = WebhookDelivery(
            store: store, clients: clients, targets: targets, metrics: metrics, logger: logger)
        let sweep = WebhookSweep(
            store: store, targets: targets, metrics: metrics, readiness: readiness, logger: logger)
        return (
            WebhookWriter(
                merchant: { [merchants] in merchants.current.registry[$0] }, wake: delivery.wake,
                merchantIsUnknown: { [metrics] message in
                    metrics.webhooks(.unknownMerchant).increment()
                    logger.error(
                        "merchants.json lacks a merchant: its shop is not told of an order",
                        [
                            "merchant_id": message.merchant.description, "order_id": message.order.description,
                            "event": message.event.rawValue,
                        ])
                }),
            [clients.toAny, clients.toPublic, sweep], delivery
        )
    }

    /// The public API.
    func api(_ statusChanges: OrderStatusChanges, _ missingMerchants: MissingMerchants) -> OrdersAPI {
        OrdersAPI(
            database: database, registry: { [merchants] in merchants.current.registry },
            missingMerchants: missingMerchants,
            tickets: TicketIssuer(
                keys: { [ticketKeys] in ticketKeys.keys }, lifetime: configuration.ticketLifetime, now: { .now }),
            limits: RequestLimits(
                keys: RateLimiter(of: .key, rate: configuration.keyLimit, metrics: registry),
                tickets: RateLimiter(of: .ticket, rate: configuration.ticketLimit, metrics: registry)),
            offers: OfferStore(outbox: LedgerSchema.outbox, expiryGrace: configuration.expiryGrace),
            statusChanges: statusChanges, metrics: metrics, logger: logger.scoped(to: "api"),
            partitions: configuration.topics.partitions, now: { .now }, minimumLife: configuration.minimumOrderLife)
    }

    /// What reads the key files and `merchants.json` again.
    func files(_ missingMerchants: MissingMerchants) -> [any Service] {
        let logger = logger.scoped(to: "keys")
        let expiry = SealingKeyExpiry(
            .contacts, sealingKeys: contactKeys.set, metrics: registry, readiness: readiness, logger: logger)
        let reloader = ticketKeys.reloader(
            and: [merchants, contactKeys.set] + configuration.http.reloadedFiles + configuration.admin.reloadedFiles,
            every: configuration.keyReload, readiness: readiness, logger: logger
        ) { [merchants] in
            expiry.report(at: .now)
            let known = merchants.current.registry
            missingMerchants.update(at: Timestamp.now.seconds) { MerchantID($0).flatMap { known[$0] } != nil }
        }
        let rotation = contactKeys.rotated.map { SealingRotation(files: $0, readiness: readiness, logger: logger) }
        return [reloader] + (rotation.map { [$0] } ?? [])
    }

    /// What counts what waits, for metrics and `/readyz`.
    func monitors() throws -> [any Service] {
        [
            LedgerSchema.inbox.writeCheck(on: database, readiness: readiness),
            OutboxBacklog(LedgerSchema.outbox, database: database, readiness: readiness, metrics: registry),
            UnreadRecordMonitor(
                LedgerSchema.inbox, of: "fact", prefix: "order_ledger", partitions: configuration.topics.partitions,
                database: database,
                reader: try KafkaReader(configuration.topics.kafka, timeout: .seconds(3), logger: logger),
                readiness: readiness, logger: logger, metrics: registry),
        ]
    }

    /// Publishes what the database's outbox holds.
    func relay() throws -> OutboxRelay {
        OutboxRelay(
            LedgerSchema.outbox, database: configuration.postgres, producer: producer,
            reader: try KafkaReader(configuration.topics.kafka, logger: logger), recovery: recovery,
            readiness: readiness, logger: logger, metrics: registry)
    }
}
