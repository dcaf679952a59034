import Contracts
import KafkaBridge
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit

/// The configuration of `order-ledger settle`.
struct SettleConfiguration {
    let partitions: Int32
    private let postgres: PostgresConfiguration
    private let registry: MerchantRegistry?

    /// - `postgres.*`, `merchants`, `kafka.partitions`: as for `serve`
    init(reader: ConfigReader) {
        postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger settle")
        partitions = KafkaConfiguration.partitions(reader: reader)
        registry = LedgerConfiguration.merchants(reader)?.current.registry
    }

    /// Runs a command on a connection to the ledger.
    static func with(
        _ invocation: Invocation, _ body: (SettleConfiguration, PostgresConnection) async throws -> Int32
    ) async throws -> Int32 {
        let (configuration, _) = try invocation.configuration { SettleConfiguration(reader: $0) }
        let connection = try await PostgresConnection.connect(configuration.postgres)
        do {
            try await LedgerSchema.migrator.check(connection)
            let status = try await body(configuration, connection)
            await connection.close()
            return status
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The accounts of the merchants.
    ///
    /// - Parameter only: a single one.
    func accounts(_ only: String?) -> [SettlementAccounts.Account] {
        (registry.map { SettlementAccounts($0).all } ?? []).filter { only == nil || $0.account == only }
    }

    var owners: [String: [PayOutFile.Owner]] { registry.map { SettlementAccounts($0).owners } ?? [:] }
}
