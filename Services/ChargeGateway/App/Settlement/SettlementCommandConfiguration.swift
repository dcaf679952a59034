import Acquirers
import KafkaBridge
import KeyFiles
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The part of the service's configuration that `settlement fetch` needs.
///
/// Configuration keys: `merchants`, `postgres.…`, `acquirer.tolerance`, `kafka.partitions`, `log.…` and a section of each
/// acquirer, as for `serve`.
struct SettlementCommandConfiguration: Sendable {
    let merchantsFile: String
    let store: ChargeStoreConfiguration
    let partitions: Int32
    let acquirers: [any AcquirerSetup]

    init(reader: ConfigReader) {
        merchantsFile = GatewayConfiguration.merchantsFile(reader)
        store = ChargeStoreConfiguration(reader: reader)
        partitions = KafkaConfiguration.partitions(reader: reader)
        acquirers = AcquirerDirectory.setups.map { $0.init(reader: reader) }
    }

    /// Runs `body` with what fetches files, and the accounts that have some. The running service publishes what it commits.
    func withFetcher<Value: Sendable>(
        _ body: @Sendable (SettlementFetcher, AbsenceSweep, [SettlementAccount]) async throws -> Value
    ) async throws -> Value {
        let logger = store.log.logger(label: "charge-gateway", writer: .standardError)
        let metrics = MetricsRegistry()
        let links = acquirers.map { AcquirerLink($0, logger: logger, metrics: metrics) }
        let accounts = SettlementAccount.all(try GatewayMerchants.file(merchantsFile, links, logger).current)
        let telemetry = SettlementTelemetry(metrics, logger: logger)
        return try await store.withTransactions { transactions, pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for link in links { group.addTask { try? await link.client.run() } }
                defer { group.cancelAll() }
                let recorder = SettlementRecorder(
                    pool: pool, transactions: transactions, partitions: partitions, telemetry: telemetry,
                    threads: ThreadPool(name: "settlement", threads: 1))
                return try await body(
                    SettlementFetcher(recorder: recorder, telemetry: telemetry),
                    AbsenceSweep(transactions: transactions), accounts)
            }
        }
    }
}
