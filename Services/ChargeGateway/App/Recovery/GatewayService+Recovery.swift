import Acquirers
import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension GatewayService {
    /// `charge-gateway recover`: goes on with a database that was restored from an older state.
    static let recoverCommand = RecoverCommand.recover(
        "charge-gateway",
        .init(
            service: "the gateway",
            does: """
                the gateway's own facts are read back from the journal into orders and operations, charges that were open \
                are asked for at the acquirer before anything is sent, and the commands up to the log's present end are \
                marked: one that left no operation here is asked for first as well
                """), GatewaySchema.migrator, group: { _ in GatewayConfiguration.group }
    ) { parts in
        let transactions = OrderTransactions(
            pool: parts.database, store: OrderStore(policy: ChargingPolicy(of: AcquirerDirectory.setups)),
            outbox: outbox,
            telemetry: ChargeTelemetry(parts.metrics, logger: parts.logger), timers: nil)
        return try recovery(transactions, parts.database, parts.kafka, parts.logger, parts.metrics)
    }

    /// Brings partitions of the gateway's database up to the log.
    static func recovery(
        _ transactions: OrderTransactions, _ database: PostgresPool, _ kafka: KafkaConfiguration, _ logger: Logger,
        _ metrics: MetricsRegistry
    ) throws(KafkaError) -> PartitionRecovery {
        PartitionRecovery(
            inbox: inbox, outbox: transactions.outbox, topics: [.journal, Topic.charges.deadLetters],
            database: database, admin: try KafkaAdmin(kafka, logger: logger.scoped(to: "kafka")),
            reader: try KafkaReader(kafka, logger: logger.scoped(to: "kafka")), group: GatewayConfiguration.group,
            state: GatewayRecovery(transactions: transactions, logger: logger), logger: logger, metrics: metrics)
    }
}
