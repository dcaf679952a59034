import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `charge-gateway recover`: goes on with a database that was restored from an older state.
enum RecoverCommand {
    static let command = Command(
        name: "recover", summary: "goes on with a database that was restored from a backup",
        discussion: """
            Lists what each partition needs; changes nothing without --restored. With it, the gateway's own facts are read \
            back from the journal into orders and operations, charges that were open are asked for at the acquirer before \
            anything is sent, and the commands up to the log's present end are marked: one that left no operation here is \
            asked for first as well. A promoted standby needs no command: serve does the same by itself. Exit status 0 when \
            every partition can go on, 1 when one needs a person.
            """,
        options: [
            .flag(
                "restored", help: "This database was restored from a backup, or moved, and the gateway goes on with it."
            )
        ],
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [
            .init("charge-gateway recover --config charge-gateway.json", "what each partition needs"),
            .init("charge-gateway recover --config charge-gateway.json --restored", "and do it"),
        ]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let logger = configuration.log.logger(label: "charge-gateway.recover", writer: .standardError)
        let metrics = MetricsRegistry()
        let pool = PostgresPool(
            configuration.postgres, logger: logger, metrics: metrics, readiness: Readiness(logger: logger))
        let desk = OrderDesk(
            pool: pool, store: OrderStore(policy: ChargingPolicy()), outbox: Gateway.outbox,
            watch: ChargeWatch(metrics, logger: logger), bell: Bell())
        let recovery = try Gateway.recovery(desk, configuration.kafka, logger, metrics)
        return try await RecoveryRun(recovery, partitions: configuration.partitions)
            .run(isRestored: invocation.has("restored")) { print($0) }
    }

    private struct Configuration {
        let postgres: PostgresConfiguration
        let kafka: KafkaConfiguration
        let partitions: Int32
        let log: LogConfiguration

        init(reader: ConfigReader) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "charge-gateway recover")
            kafka = KafkaConfiguration(reader: reader, clientID: "charge-gateway-recover")
            partitions = KafkaConfiguration.partitions(reader: reader)
            log = LogConfiguration(reader: reader)
        }
    }
}

extension Gateway {
    /// Brings partitions of the gateway's database up to the log.
    static func recovery(
        _ desk: OrderDesk, _ kafka: KafkaConfiguration, _ logger: Logger, _ metrics: MetricsRegistry
    ) throws(KafkaError) -> PartitionRecovery {
        PartitionRecovery(
            inbox: inbox, outbox: desk.outbox, topics: [.journal, Topic.charges.deadLetters], database: desk.pool,
            admin: try KafkaAdmin(kafka, logger: logger.scoped(to: "kafka")),
            reader: try KafkaReader(kafka, logger: logger.scoped(to: "kafka")), group: GatewayConfiguration.group,
            state: GatewayRecovery(desk: desk, logger: logger), logger: logger, metrics: metrics)
    }
}
