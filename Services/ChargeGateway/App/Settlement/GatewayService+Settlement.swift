import OrchardPostgres
import OrchardServiceKit

extension GatewayService {
    /// What fetches settlement files and tells what they prove.
    static func settlement(
        _ configuration: GatewayConfiguration, _ pool: PostgresPool, _ transactions: OrderTransactions,
        _ merchants: @escaping @Sendable () -> GatewayMerchants, _ readiness: Readiness, _ metrics: MetricsRegistry,
        _ logger: Logger
    ) -> SettlementTimer {
        let logger = logger.scoped(to: "settlement")
        let telemetry = SettlementTelemetry(metrics, logger: logger)
        return SettlementTimer(
            fetcher: SettlementFetcher(
                recorder: SettlementRecorder(
                    pool: pool, transactions: transactions, partitions: configuration.partitions,
                    telemetry: telemetry, threads: ThreadPool(name: "settlement", threads: 1)),
                telemetry: telemetry),
            sweep: AbsenceSweep(transactions: transactions), lock: SettlementLock(postgres: configuration.postgres),
            merchants: merchants, configuration: configuration.settlement, readiness: readiness, logger: logger)
    }
}
