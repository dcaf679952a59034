import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger recover`: goes on with a database that was restored from an older state.
enum RecoverCommand {
    static let command = Command(
        name: "recover", summary: "go on with a database that was restored from a backup",
        discussion: """
            Lists what each partition needs; changes nothing without --restored. With it, the books are compared with the \
            journal where they end, the numbers of the ledger's own events are brought up to the log, and serve folds the \
            journal on from where the restored books stand. Orders that were opened since the backup are in the books, but \
            not among the API's offers: the shop opens them again under the same Idempotency-Key. A promoted standby needs \
            no command. Exit status 0 when every partition can go on, 1 when one needs a person.
            """,
        options: [
            .flag(
                "restored", help: "This database was restored from a backup, or moved, and the ledger goes on with it.")
        ],
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [
            .init("order-ledger recover --config order-ledger.json", "what each partition needs"),
            .init("order-ledger recover --config order-ledger.json --restored", "and do it"),
        ]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let logger = configuration.log.logger(label: "order-ledger.recover", writer: .standardError)
        let metrics = MetricsRegistry()
        let pool = PostgresPool(
            configuration.postgres, logger: logger, metrics: metrics, readiness: Readiness(logger: logger))
        let recovery = try LedgerSchema.recovery(
            pool, configuration.kafka, group: configuration.group, logger, metrics)
        return try await RecoveryRun(recovery, partitions: configuration.partitions)
            .run(isRestored: invocation.has("restored")) { print($0) }
    }

    private struct Configuration {
        let postgres: PostgresConfiguration
        let kafka: KafkaConfiguration
        let partitions: Int32
        let group: String
        let log: LogConfiguration

        init(reader: ConfigReader) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger recover")
            kafka = KafkaConfiguration(reader: reader, clientID: "order-ledger-recover")
            partitions = KafkaConfiguration.partitions(reader: reader)
            group = LedgerConfiguration.group(reader)
            log = LogConfiguration(reader: reader)
        }
    }
}

extension LedgerSchema {
    /// Brings partitions of the ledger's database up to the log.
    static func recovery(
        _ database: PostgresPool, _ kafka: KafkaConfiguration, group: String, _ logger: Logger,
        _ metrics: MetricsRegistry
    ) throws(KafkaError) -> PartitionRecovery {
        let reader = try KafkaReader(kafka, logger: logger)
        return PartitionRecovery(
            inbox: inbox, outbox: outbox, topics: [.journal, .charges, Topic.journal.deadLetters], database: database,
            admin: try KafkaAdmin(kafka, logger: logger), reader: reader, group: group,
            state: LedgerRecovery(reader: reader), logger: logger, metrics: metrics)
    }
}
