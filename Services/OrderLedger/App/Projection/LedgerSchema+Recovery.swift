import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension LedgerSchema {
    /// `order-ledger recover`: continues with a database that was restored from an older state.
    static let recoverCommand = RecoverCommand.recover(
        "order-ledger",
        .init(
            service: "the ledger",
            does: """
                the end of the books is compared with the journal, the offers get back the prices of the journal, what \
                was erased is erased again, webhooks that waited are parked (the lost database may have sent them), the \
                numbers of the ledger's own events are brought up to the log, and serve continues to fold the journal \
                from the end of the restored books. Orders that were opened since the backup come back with the books, \
                without their goods: the shop opens them again with the same Idempotency-Key
                """), migrator, group: LedgerConfiguration.group
    ) { parts in try recovery(parts.database, parts.kafka, group: parts.group, parts.logger, parts.metrics) }

    /// Brings partitions of the ledger's database up to the log.
    static func recovery(
        _ database: PostgresPool, _ kafka: KafkaConfiguration, group: String, _ logger: Logger,
        _ metrics: MetricsRegistry
    ) throws(KafkaError) -> PartitionRecovery {
        let reader = try KafkaReader(kafka, logger: logger)
        return PartitionRecovery(
            inbox: inbox, outbox: outbox, topics: [.journal, .charges, .erasures, Topic.journal.deadLetters],
            database: database,
            admin: try KafkaAdmin(kafka, logger: logger), reader: reader, group: group,
            state: LedgerRecovery(reader: reader), logger: logger, metrics: metrics)
    }
}
