import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension GatewayService {
    /// What tells how much waits, in and out. It does not wait for the start's checks: commands do not either.
    static func monitors(
        _ configuration: GatewayConfiguration, _ pool: PostgresPool, _ readiness: Readiness,
        _ metrics: MetricsRegistry, _ logger: Logger
    ) throws(KafkaError) -> [any Service] {
        let reader = try KafkaReader(
            configuration.kafka, timeout: .seconds(3), logger: logger.scoped(to: "kafka"))
        return [
            OutboxBacklog(outbox, database: pool, readiness: readiness, metrics: metrics),
            UnreadRecordMonitor(
                inbox, of: "command", prefix: "charge_gateway", partitions: configuration.partitions, database: pool,
                reader: reader, readiness: readiness, logger: logger, metrics: metrics),
        ]
    }
}
