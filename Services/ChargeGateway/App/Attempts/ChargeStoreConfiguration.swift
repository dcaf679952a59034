import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The part of the service's configuration that the operators' commands need: database and times.
///
/// Configuration keys: `postgres.…`, `acquirer.tolerance`, `log.…`, as for `serve`.
struct ChargeStoreConfiguration: Sendable {
    let postgres: PostgresConfiguration
    let policy: ChargingPolicy
    let log: LogConfiguration

    init(reader: ConfigReader) {
        postgres = PostgresConfiguration(reader: reader, applicationName: "charge-gateway attempts")
        policy = GatewayConfiguration.policy(reader)
        log = LogConfiguration(reader: reader)
    }

    /// Reads charges, and the database's time.
    func read<Value: Sendable>(
        _ body: (ChargeQuery, PostgresConnection) async throws -> Value
    ) async throws -> (Value, Timestamp) {
        let connection = try await PostgresConnection.connect(postgres)
        try await GatewaySchema.migrator.check(connection)
        let value = try await body(ChargeQuery(policy: policy), connection)
        guard let now = try await connection.query("SELECT clock_timestamp() AS now").first?.time("now") else {
            throw StoreError(.malformed, at: "clock_timestamp", "the database does not tell the time")
        }
        await connection.close()
        return (value, now)
    }

    /// Runs `body` with order transactions. The running service publishes what it commits.
    func withTransactions<Value: Sendable>(
        _ body: @Sendable (OrderTransactions) async throws -> Value
    ) async throws -> Value {
        try await withTransactions { transactions, _ in try await body(transactions) }
    }

    /// Runs `body` with order transactions and the pool of one connection that they use.
    func withTransactions<Value: Sendable>(
        _ body: @Sendable (OrderTransactions, PostgresPool) async throws -> Value
    ) async throws -> Value {
        let logger = log.logger(label: "charge-gateway", writer: .standardError)
        var postgres = postgres
        postgres.poolSize = 1
        let pool = PostgresPool(postgres, logger: logger, readiness: Readiness())
        let transactions = OrderTransactions(
            pool: pool, store: OrderStore(policy: policy),
            outbox: Outbox(schema: GatewaySchema.name, stream: GatewaySchema.stream),
            telemetry: ChargeTelemetry(MetricsRegistry(), logger: logger), timers: nil)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pool.run() }
            defer { group.cancelAll() }
            try await pool.withConnection { try await GatewaySchema.migrator.check($0) }
            return try await body(transactions, pool)
        }
    }
}
